from cardloom_protocol.errors import CallError, ErrorCode


def test_there_are_twenty_two_codes_and_each_is_its_own_name() -> None:
    assert len(ErrorCode) == 22
    assert all(code.value == code.name for code in ErrorCode)


def test_an_error_without_data_has_no_data_on_the_wire() -> None:
    error = CallError(ErrorCode.NOT_FOUND, "There is no card x.")
    assert error.to_wire() == {"code": "NOT_FOUND", "message": "There is no card x."}


def test_an_error_carries_its_data_and_reads_well_in_a_log() -> None:
    error = CallError(ErrorCode.RATE_LIMITED, "Too fast.", {"retryAfterMs": 50})
    assert error.to_wire() == {"code": "RATE_LIMITED", "message": "Too fast.", "data": {"retryAfterMs": 50}}
    assert str(error) == "RATE_LIMITED: Too fast."
