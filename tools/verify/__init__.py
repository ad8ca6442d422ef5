"""Deterministic verification of an answer against its evidence; citations and strikes."""

from tools.verify.cite import cite, strike
from tools.verify.core import verify
from tools.verify.quantities import Quantity
from tools.verify.records import Claim, ClaimCheck, Item, Verification
from tools.verify.tool import VerifyArguments, VerifyResult, VerifyTool

__all__ = [
    "Claim",
    "ClaimCheck",
    "Item",
    "Quantity",
    "Verification",
    "VerifyArguments",
    "VerifyResult",
    "VerifyTool",
    "cite",
    "strike",
    "verify",
]
