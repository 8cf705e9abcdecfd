"""The settings of a simulation as the text of a configuration, TOML."""

from __future__ import annotations

import numpy as np

from . import _library as lib
from .units import Units, is_physical, setting_text

_SECTIONS = {
    "softening": "gravity", "G": "gravity", "method": "gravity", "tolerance": "gravity", "theta": "gravity", "opening": "gravity",
    "order": "gravity", "softening_kernel": "gravity", "all_pairs_up_to": "gravity", "dt": "time", "begin": "time", "integrator": "time",
    "device": "run", "transport": "run",
}


def _toml_value(value):
    value = setting_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml_value(str(key))} = {_toml_value(part)}" for key, part in value.items()) + " }"
    raise lib.SettingError(f"{value!r} is no setting: there are numbers, texts, True and False, quantities, and dicts of these")


def _toml(config, path=""):
    lines = [f"[{path}]"] if path else []
    for key, value in config.items():
        # Galaxies have sections in sections; a softening is a table.
        if not path and isinstance(value, dict):
            continue
        lines.append(f"{key} = {_toml_value(value)}")
    for key, value in config.items():
        if not path and isinstance(value, dict):
            lines.append(_toml(value, key))
    return "\n".join(lines) + "\n"


def take_from(particles, config, units, settings):
    """The time and softening of particles, and in N-body units their G, unless settings or the configuration have their own."""
    for name, section, attribute in (("begin", "time", "time"), ("softening", "gravity", "softening"), ("G", "gravity", "G")):
        value = getattr(particles, attribute, None)
        is_known = value is not None and (isinstance(value, (dict, str)) or np.isfinite(value))
        if name == "G":
            is_known = is_known and isinstance(units, Units) and not is_physical(units)
        given = config.get(section)
        if is_known and name not in settings and not (isinstance(given, dict) and name in given):
            settings[name] = value


def config_text(config, units, settings):
    if isinstance(config, str):
        if units is not None or settings:
            raise lib.SettingError("a configuration that is a text says it all: settings beside it are not possible; a dict takes them")
        return config
    sections = {}
    for name, values in (config or {}).items():
        several = isinstance(values, (list, tuple)) and name == "external"
        for k, part in enumerate(values if several else [values]):
            if not isinstance(part, dict):
                raise lib.SettingError(f"config = {{{name!r}: {part!r}}}: it has sections, as {{'gravity': {{'tolerance': 1e-3}}}}")
            section = name if k == 0 else f"{name}_{k + 1}"
            if section in sections:
                raise lib.SettingError(f"config: {section!r} is given twice, by itself and in a list")
            sections[section] = dict(part)
    for name, value in settings.items():
        if name not in _SECTIONS:
            raise lib.SettingError(f"{name}: there is no such setting: there are units, {', '.join(_SECTIONS)}; others stand in config = {{section: {{key: value}}}}")
        if name in sections.setdefault(_SECTIONS[name], {}):
            raise lib.SettingError(f"{name} is given twice: as an argument, and in config")
        sections[_SECTIONS[name]][name] = value
    if isinstance(units, Units):
        if is_physical(units):
            sections.setdefault("units", units._asdict())
    elif units is not None:
        sections.setdefault("units", {})["system"] = units
    return _toml(sections)
