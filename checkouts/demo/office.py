"""Office Open XML with the fewest parts that spreadsheets and word processors accept."""

from html import escape

from checkouts.demo.packing import zipped

HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TYPES = "application/vnd.openxmlformats-officedocument"

PLAIN, BOLD, MONEY, BOLD_MONEY = range(4)  # the cell formats of STYLES
STYLES = f"""{HEAD}<styleSheet xmlns="{SHEET}">
<numFmts count="1"><numFmt numFmtId="164" formatCode="#,##0&quot; €&quot;"/></numFmts>
<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>
<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>
<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>
<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
<xf numFmtId="164" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1" applyNumberFormat="1"/></cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>
</styleSheet>"""

BudgetItem = tuple[str, int, int]


def workbook(title: str, rows: list[BudgetItem]) -> bytes:
    """Return an XLSX sheet of (item, planned, spent), with the remainder of each and the totals below."""
    lines = [header(1, ["Item", "Planned", "Spent", "Left"])]
    for number, (item, planned, spent) in enumerate(rows, start=2):
        left = formula(f"D{number}", f"B{number}-C{number}", planned - spent, MONEY)
        lines.append(
            line(number, [text(f"A{number}", item), money(f"B{number}", planned), money(f"C{number}", spent), left])
        )
    last = len(rows) + 1
    planned, spent = sum(row[1] for row in rows), sum(row[2] for row in rows)
    sums = [
        formula(f"{column}{last + 1}", f"SUM({column}2:{column}{last})", total, BOLD_MONEY)
        for column, total in (("B", planned), ("C", spent), ("D", planned - spent))
    ]
    lines.append(line(last + 1, [text(f"A{last + 1}", "Total", BOLD), *sums]))
    sheet = (
        f'{HEAD}<worksheet xmlns="{SHEET}"><cols><col min="1" max="1" width="28" customWidth="1"/>'
        f'<col min="2" max="4" width="13" customWidth="1"/></cols><sheetData>{"".join(lines)}</sheetData></worksheet>'
    )
    book = (
        f'{HEAD}<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets>'
        f'<sheet name="{escape(title)}" sheetId="1" r:id="rId1"/></sheets></workbook>'
    )
    return zipped(
        {
            "[Content_Types].xml": content_types(
                {
                    "/xl/workbook.xml": f"{TYPES}.spreadsheetml.sheet.main+xml",
                    "/xl/worksheets/sheet1.xml": f"{TYPES}.spreadsheetml.worksheet+xml",
                    "/xl/styles.xml": f"{TYPES}.spreadsheetml.styles+xml",
                }
            ),
            "_rels/.rels": relations({"officeDocument": "xl/workbook.xml"}),
            "xl/workbook.xml": book,
            "xl/_rels/workbook.xml.rels": relations({"worksheet": "worksheets/sheet1.xml", "styles": "styles.xml"}),
            "xl/worksheets/sheet1.xml": sheet,
            "xl/styles.xml": STYLES,
        }
    )


def header(number: int, titles: list[str]) -> str:
    return line(number, [text(f"{column}{number}", title, BOLD) for column, title in zip("ABCD", titles, strict=True)])


def line(number: int, cells: list[str]) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def text(cell: str, value: str, style: int = PLAIN) -> str:
    return f'<c r="{cell}" s="{style}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'


def money(cell: str, value: int) -> str:
    return f'<c r="{cell}" s="{MONEY}"><v>{value}</v></c>'


def formula(cell: str, expression: str, result: int, style: int) -> str:
    """The result is stored beside the formula, for readers that do not calculate."""
    return f'<c r="{cell}" s="{style}"><f>{expression}</f><v>{result}</v></c>'


def document(title: str, paragraphs: list[str]) -> bytes:
    """Return a DOCX text with a title. A paragraph that begins with `# ` is a heading."""
    body = styled(title, "Title")
    for paragraph in paragraphs:
        body += styled(paragraph[2:], "Heading1") if paragraph.startswith("# ") else styled(paragraph, "Normal")
    page = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>'
    main = f'{HEAD}<w:document xmlns:w="{WORD}"><w:body>{body}{page}</w:body></w:document>'
    return zipped(
        {
            "[Content_Types].xml": content_types(
                {
                    "/word/document.xml": f"{TYPES}.wordprocessingml.document.main+xml",
                    "/word/styles.xml": f"{TYPES}.wordprocessingml.styles+xml",
                }
            ),
            "_rels/.rels": relations({"officeDocument": "word/document.xml"}),
            "word/document.xml": main,
            "word/_rels/document.xml.rels": relations({"styles": "styles.xml"}),
            "word/styles.xml": f'{HEAD}<w:styles xmlns:w="{WORD}">{style("Normal", "Normal", 22)}'
            f"{style('Title', 'Title', 52)}{style('Heading1', 'heading 1', 32)}</w:styles>",
        }
    )


def styled(words: str, name: str) -> str:
    run = f'<w:r><w:t xml:space="preserve">{escape(words)}</w:t></w:r>'
    return f'<w:p><w:pPr><w:pStyle w:val="{name}"/></w:pPr>{run}</w:p>'


def style(identifier: str, name: str, half_points: int) -> str:
    default = ' w:default="1"' if identifier == "Normal" else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{identifier}"{default}><w:name w:val="{name}"/>'
        f'<w:pPr><w:spacing w:after="160"/></w:pPr><w:rPr><w:sz w:val="{half_points}"/></w:rPr></w:style>'
    )


def content_types(parts: dict[str, str]) -> str:
    overrides = "".join(f'<Override PartName="{part}" ContentType="{kind}"/>' for part, kind in parts.items())
    return (
        f'{HEAD}<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )


def relations(targets: dict[str, str]) -> str:
    entries = "".join(
        f'<Relationship Id="rId{number}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets.items(), start=1)
    )
    return f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{entries}</Relationships>'
