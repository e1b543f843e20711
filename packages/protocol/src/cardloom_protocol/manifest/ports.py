"""What the declared ports of a manifest may get wrong. Spec: manifest, ports."""

from collections.abc import Mapping

from ..jstext import js_trim
from ..ports.types import PORT_TYPES, is_custom_type
from ..texts import LocalizedText
from .findings import Findings
from .model import PortDefinition, ResponseDefinition


def check_ports(package: str, ports: Mapping[str, list[PortDefinition]], findings: Findings) -> None:
    """Checks inputs and outputs of the package called `package`."""
    inputs, outputs = ports.get("inputs", []), ports.get("outputs", [])
    _check_ids("/ports/inputs", inputs, findings)
    _check_ids("/ports/outputs", outputs, findings)
    for index, port in enumerate(inputs):
        _check_port(f"/ports/inputs/{index}", package, port, findings)
        _check_input(f"/ports/inputs/{index}", package, port, findings)
    for index, port in enumerate(outputs):
        _check_port(f"/ports/outputs/{index}", package, port, findings)
        _check_output(f"/ports/outputs/{index}", port, findings)
    if sum(port.get("default") is True for port in inputs) > 1:
        findings.add("/ports/inputs", "At most one input can be the default one.")


def _check_ids(path: str, ports: list[PortDefinition], findings: Findings) -> None:
    seen: set[str] = set()
    for index, port in enumerate(ports):
        if port["id"] in seen:
            findings.add(f"{path}/{index}/id", f"The id {port['id']!r} is taken by an earlier port.")
        seen.add(port["id"])


def _check_port(path: str, package: str, port: PortDefinition, findings: Findings) -> None:
    for name, text, multiline in (("label", port["label"], False), ("description", port.get("description"), True)):
        findings.check_text(f"{path}/{name}", text, multiline=multiline)
        if text is not None and _is_blank(text):
            findings.add(path, f"The {name} has nothing but white space.")
    if _check_type(f"{path}/type", package, port["type"], findings) and "schema" not in port:
        findings.add(f"{path}/schema", f"The type {port['type']!r} is not a known one and needs a schema.")
    if "schema" in port:
        findings.check_schema(f"{path}/schema", port["schema"])


def _check_input(path: str, package: str, port: PortDefinition, findings: Findings) -> None:
    if "retain" in port:
        findings.add(f"{path}/retain", "Only an output can retain its last value.")
    response = port.get("response")
    if port.get("mode") == "request":
        if response is None:
            findings.add(f"{path}/response", "A request input needs a response.")
        else:
            _check_response(f"{path}/response", package, response, findings)
    elif response is not None:
        findings.add(f"{path}/response", "Only an input of mode 'request' has a response.")


def _check_response(path: str, package: str, response: ResponseDefinition, findings: Findings) -> None:
    _check_type(f"{path}/type", package, response["type"], findings)
    if "schema" in response:
        findings.check_schema(f"{path}/schema", response["schema"])


def _check_output(path: str, port: PortDefinition, findings: Findings) -> None:
    if "mode" in port or "response" in port or "default" in port:
        findings.add(path, "An output has no mode, response or default.")


def _check_type(path: str, package: str, port_type: str, findings: Findings) -> bool:
    """Reports a type that is none, warns of one that another package made up; tells whether it is custom."""
    if port_type in PORT_TYPES:
        return False
    if not is_custom_type(port_type):
        findings.add(path, f"There is no port type {port_type!r}; one of your own is written package/type.")
        return False
    owner = port_type.partition("/")[0]
    if owner != package:
        findings.warn(path, f"The type {port_type!r} belongs to the package {owner!r}.")
    return True


def _is_blank(text: LocalizedText) -> bool:
    texts = [text] if isinstance(text, str) else text.values()
    return any(js_trim(one) == "" for one in texts)
