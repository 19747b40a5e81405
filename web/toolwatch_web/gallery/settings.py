"""The settings page, before and after a text was tried; a leak."""

from toolwatch_web.gallery.call import facts
from toolwatch_web.gallery.values import NOW_NS
from toolwatch_web.json_tree import pieces
from toolwatch_web.models.lists import LeakRow
from toolwatch_web.models.settings import RuleRow, SettingsPage, Tried


def settings_page(*, tried: bool = False) -> SettingsPage:
    left = Tried(left=pieces("password=[secret-pair] for <ana>"), found=(("secret-pair", "credentials", 1),))
    return SettingsPage(
        settings=facts(),
        rules=(
            RuleRow(rule="url-password", tier="credentials", example="postgres://app:…@db/orders", on=True),
            RuleRow(rule="internal-host", tier="infrastructure", example="db.internal", on=False),
        ),
        services=(("billing", "tiers credentials; rule order-number"),),
        tried=left if tried else None,
    )


def leak() -> LeakRow:
    href = "/calls?tool=export_orders&warning=secret_reached_model"
    return LeakRow(tool="export_orders", rule="url-password", calls=3, href=href, last_ns=NOW_NS)
