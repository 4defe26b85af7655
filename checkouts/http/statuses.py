"""The HTTP status of each refusal of this floor; `leasehold.http.statuses` has the table that they join."""

from checkouts import exceptions as upper
from leasehold.exceptions import Refusal

STATUSES: dict[type[Refusal], int] = {
    upper.ArtifactBusy: 409,
    upper.BytesMissing: 409,
    upper.CheckoutClosed: 409,
    upper.DigestMismatch: 422,
    upper.EditClosed: 409,
    upper.PathTaken: 409,
    upper.StaleBase: 409,
    upper.StaleProposal: 409,
    upper.StorageUnavailable: 507,
    upper.TooLarge: 413,
}
