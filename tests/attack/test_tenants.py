"""One tenant of a server attacks the others (attacks_tenants.py): they are served all the same."""

import inspect
from collections.abc import Callable, Sequence

import attacks_tenants
from support.case import Case
from tenant_case import Deeds, Tenant, TenantCase

class Tenants(TenantCase):
    """A test for each row of one part of the table."""

    def __init_subclass__(cls, rows: Sequence[Tenant] = (), **more: object) -> None:
        super().__init_subclass__(**more)
        for row in rows:
            setattr(cls, f"test_{row.name}", _test_of(row))


def _test_of(row: Tenant) -> Callable[[Tenants], None]:
    def test(case: Tenants) -> None:
        case.perform(row)

    test.__doc__ = row.threat
    return test


class EndTest(Tenants, rows=attacks_tenants.ENDS):
    """Clients that close in the middle."""


class HolderTest(Tenants, rows=attacks_tenants.HOLDERS):
    """Clients that hold connections."""


class ByteTest(Tenants, rows=attacks_tenants.BYTES):
    """Clients that fill the memory."""


class TableTest(Case):
    """What can be said of the table without running it."""

    def test_names_are_unique_and_deeds_exist(self) -> None:
        names = [row.name for row in attacks_tenants.TABLE]
        self.assertEqual(len(names), len(set(names)))
        deeds = {name for name, _ in inspect.getmembers(Deeds, inspect.isfunction)}
        for row in attacks_tenants.TABLE:
            self.assertLessEqual(set(row.served), deeds, row.name)
