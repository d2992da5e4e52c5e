"""Frozen dataclasses from JSON documents and back: the shape of a document is said once, by the classes in results.py."""

from __future__ import annotations

import dataclasses
import functools
import json
import types
import typing
from collections.abc import Callable
from typing import Any, TypeVar

R = TypeVar("R", bound="Record")


class Record:
    """Part of a result. Its fields are those of docs/json.md; a name that Python has taken ends in an underscore."""

    def to_dict(self) -> dict[str, Any]:
        """The same as in the JSON document, for json.dumps() and the like."""
        return typing.cast("dict[str, Any]", _plain(self))

    @classmethod
    def from_dict(cls: type[R], document: dict[str, Any]) -> R:
        """The record of a document, or of a part of one. Fields that this version does not know are left out."""
        return typing.cast(R, _reader(typing.cast(Any, cls))(document))

    @classmethod
    def from_json(cls: type[R], text: str) -> R:
        """The same of a document's text."""
        return cls.from_dict(json.loads(text))


def key_of(field: dataclasses.Field[Any]) -> str:
    """What a field is called in the document."""
    return field.name.rstrip("_")


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        fields = dataclasses.fields(typing.cast(Any, value))
        pairs = ((field, getattr(value, field.name)) for field in fields)
        # What has a default is left out of a document that has nothing to say about it.
        return {key_of(field): _plain(one) for field, one in pairs
                if one is not None or field.default is dataclasses.MISSING}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return value


def _as_it_is(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@functools.cache
def _reader(of: Any) -> Callable[[Any], Any]:
    """What makes a value of that type out of one from json.loads()."""
    origin = typing.get_origin(of)
    arguments = typing.get_args(of)
    if isinstance(of, type) and issubclass(of, Record):
        return _record_reader(of)
    if origin is typing.Union or origin is types.UnionType:
        given = [one for one in arguments if one is not type(None)]
        if len(given) != 1:
            return _as_it_is
        inner = _reader(given[0])
        return lambda value: None if value is None else inner(value)
    if origin is tuple:
        inner = _reader(arguments[0])
        return lambda value: tuple([inner(one) for one in value])
    if origin is dict:
        inner = _reader(arguments[1])
        return lambda value: {key: inner(one) for key, one in value.items()}
    return _as_it_is


def _record_reader(of: type[Record]) -> Callable[[Any], Any]:
    hints = typing.get_type_hints(of)
    fields = [(field.name, key_of(field), field.default) for field in dataclasses.fields(typing.cast(Any, of))]
    readers: dict[str, Callable[[Any], Any]] = {}

    def read(document: Any) -> Any:
        nonlocal readers
        if not readers:  # a record may hold others of its own kind
            # All at once: another thread takes them as soon as there are some.
            readers = {name: _reader(hints[name]) for name, _, _ in fields}
        values = {}
        for name, key, default in fields:
            if key in document:
                values[name] = readers[name](document[key])
            elif default is dataclasses.MISSING:
                raise KeyError(f"{of.__name__}: the document has no {key}")
        return of(**values)

    return read
