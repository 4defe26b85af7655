"""Template tags and filters: icons, times in the reader's time zone, remaining time, sizes and counts.

`left` here and `formatDuration` in js/format.js give the same texts, since the script counts them down in the browser.
"""

from datetime import datetime, timedelta
from functools import cache
from math import ceil
from typing import Any

from django import template
from django.template.context import Context
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from leasehold.request_ids import request_id

register = template.Library()

SOON = 30 * 60  # seconds before its end from which a lease is shown as expiring

FILE_ICONS = {
    "psd": "psd psb xcf kra clip procreate afphoto",
    "image": "png jpg jpeg gif webp tif tiff bmp svg ai eps exr hdr tga dds ico heic raw dng",
    "3d": "blend fbx obj stl glb gltf max ma mb c4d step stp dwg dxf skp usd usdz uasset umap unity prefab 3ds ztl",
    "document": "doc docx odt rtf pdf txt md indd idml tex pages epub",
    "sheet": "xls xlsx xlsm ods csv tsv numbers",
    "presentation": "ppt pptx odp key",
    "video": "mp4 mov avi mkv webm aep prproj drp m4v",
    "audio": "wav mp3 flac ogg aif aiff m4a als flp logicx",
    "archive": "zip 7z rar tar gz bz2 xz iso",
    "code": "py js ts c h cpp cs java rs go lua json xml html css sh toml yaml yml ini",
}
ICON_OF = {ending: name for name, endings in FILE_ICONS.items() for ending in endings.split()}


@register.simple_tag
@cache
def icon(name: str, size: str = "") -> SafeString:
    """An icon of the sprite: `{% icon "held" %}`, `{% icon "held" "xl" %}`. Put a word that says the same beside it."""
    return format_html(
        '<svg class="icon{}" aria-hidden="true"><use href="{}#{}"></use></svg>',
        f" icon-{size}" if size else "",
        static("leasehold/icons.svg"),
        name,
    )


@register.simple_block_tag
def oneline(content: str) -> SafeString:
    """The content with its line breaks as spaces, so that a template can wrap a long sentence.

    `{% oneline as text %}…{% endoneline %}` keeps it in a variable, for an `{% include %}` or an attribute.
    """
    # The content has been rendered, so its variables are escaped already.
    return SafeString(" ".join(content.split()))  # nosec B703


@register.simple_tag(name="request_id")
def the_request_id() -> str:
    """The request's id, by which the request is found in the log."""
    return request_id.get()


@register.filter
def file_icon(name: str) -> str:
    """The name of the icon for a file, by the ending of the file's name."""
    return f"file-{ICON_OF.get(name.rpartition('.')[2].lower(), 'other')}"


OUTCOME_ICONS = {
    "is-free": "done",
    "is-mine": "mine",
    "is-proposal": "proposal",
    "is-stale": "stale",
    "is-danger": "danger",
}


@register.filter
def outcome_icon(role: str | None) -> str:
    """The name of the icon beside a message of this role."""
    return OUTCOME_ICONS.get(role or "", "info")


@register.filter
def filesize(size: int | None) -> str:
    """A number of bytes in decimal units: 0 B, 84 kB, 48.2 MB, 1.2 GB."""
    if size is None:
        return ""
    if size < 1000:
        return f"{size} B"
    amount = float(size)
    for unit in ("kB", "MB", "GB", "TB"):
        amount /= 1000
        if amount < 999.5 or unit == "TB":
            break
    return f"{amount:.0f} {unit}" if unit == "kB" or amount >= 99.95 else f"{amount:.1f} {unit}"


@register.filter
def capped(count: int | None) -> str:
    """A count with the limit 100 as text: 12, or 99+."""
    return "" if count is None else "99+" if count > 99 else str(count)


@register.filter
def growth(size: int) -> str:
    """A difference in bytes: +3.4 MB, −12 kB."""
    return f"{'+' if size >= 0 else '−'}{filesize(abs(size))}"


@register.filter
def short_digest(digest: str) -> str:
    """A digest shortened to what people can compare by eye: `sha256:9b1c47e0…04ae`."""
    kind, _, hexes = digest.partition(":")
    return f"{kind}:{hexes[:8]}…{hexes[-4:]}"


@register.filter
def left(seconds: float) -> str:
    """Remaining time as text: 1 d 17 h, 4 h 00 m, 18 m, 6 m 40 s, 31 s."""
    whole = max(0, ceil(seconds))
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{days} d {hour} h"
    if hours:
        return f"{hour} h {minute:02} m"
    if minutes >= 10:
        return f"{minute} m"
    return f"{minute} m {second:02} s" if minute else f"{second} s"


@register.filter
def span(seconds: int) -> str:
    """A length of time as text, without parts that are zero: 8 h, 1 h 30 m, 3 d."""
    return left(seconds).removesuffix(" 00 m").removesuffix(" 00 s").removesuffix(" 0 h")


@register.simple_tag(takes_context=True)
def when(context: Context, time: datetime | None, whole: bool = False) -> SafeString:
    """A time in the reader's time zone, as short as `clock_words` makes it; the attributes have the full time.

    `whole`: show the time of day beside a date too, for lists of events.
    """
    if time is None:
        return SafeString("")
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        time.isoformat(timespec="seconds"),
        f"{timezone.localtime(time):%-d %B %Y, %H:%M %Z}",
        clock_words(time, page_time(context), whole=whole),
    )


@register.simple_tag(takes_context=True)
def ago(context: Context, time: datetime) -> str:
    """The time since `time` as text: `4 m ago`, `3 h ago`, `2 d ago`; `just now` under a minute."""
    seconds = (page_time(context) - time).total_seconds()
    if seconds < 60:
        return "just now"
    for unit, length in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit} ago"
    raise AssertionError("unreachable")


@register.simple_tag(takes_context=True)
def countdown(context: Context, time: datetime, soon: int = SOON) -> SafeString:
    """The time left until `time`, which the script counts down. Without script, read the clock time beside it.

    `soon`: seconds before `time` from which it is shown as urgent.
    """
    seconds = (time - page_time(context)).total_seconds()
    return format_html(
        '<span class="left{}" data-until="{}" data-soon="{}">{} left</span>',
        " soon" if seconds < soon else "",
        time.isoformat(timespec="seconds"),
        soon,
        left(seconds),
    )


def clock_words(time: datetime, at: datetime, *, whole: bool = False) -> str:
    """`17:20` today, `tomorrow 17:20`, `yesterday 17:20`, else `2 Dec` or `2 Dec 2027`, in the reader's zone.

    `whole`: `2 Dec 17:20` too.
    """
    here, today = timezone.localtime(time), timezone.localtime(at).date()
    if here.date() == today:
        return f"{here:%H:%M}"
    for days, word in ((1, "tomorrow"), (-1, "yesterday")):
        if here.date() == today + timedelta(days=days):
            return f"{word} {here:%H:%M}"
    date = f"{here:%-d %b}" if here.year == today.year else f"{here:%-d %b %Y}"
    return f"{date} {here:%H:%M}" if whole else date


def page_time(context: Context) -> datetime:
    """The database's time, which each page reads once."""
    at: Any = context["at"]
    return at() if callable(at) else at
