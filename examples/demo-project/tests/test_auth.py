import pytest

from shop.auth import Accounts


@pytest.fixture
def accounts() -> Accounts:
    accounts = Accounts({"northwind.example": "Northwind"})
    accounts.register("Ada@example.org", "correct horse")
    return accounts


def test_logs_in_whatever_the_case_of_the_address(accounts: Accounts) -> None:
    assert accounts.sign_in("ada@EXAMPLE.org", "correct horse")


def test_a_wrong_password_and_an_unknown_address_look_alike(accounts: Accounts) -> None:
    assert not accounts.sign_in("ada@example.org", "battery staple")
    assert not accounts.sign_in("bob@example.org", "correct horse")


def test_logs_in_with_sso(accounts: Accounts) -> None:
    assert accounts.sso_company("ada@Northwind.Example") == "Northwind"
