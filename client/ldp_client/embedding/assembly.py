"""Assembly of an embedded client from the arguments of an app."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ldp.numbers.randomness import Random
from ldp.survey.survey import Survey
from ldp_client.answering.consent import OFF, ON, Consent
from ldp_client.answering.terms import Epsilon, bound
from ldp_client.delivery.counts import Counts
from ldp_client.delivery.limits import QueueLimits
from ldp_client.delivery.outbox import Outbox
from ldp_client.delivery.sender import Sender
from ldp_client.delivery.transport import NAMELESS, HTTPTransport, Transport
from ldp_client.embedding.adoption import Adoption
from ldp_client.embedding.consent_actions import ConsentActions
from ldp_client.embedding.recorder import Recorder
from ldp_client.keeping.database import Database
from ldp_client.keeping.scope import NO_COLLECTOR, Scope
from ldp_client.keeping.vault import Handed, Vault

if TYPE_CHECKING:
    from ldp_client.delivery.sealing import Relay, Seal
    from ldp_client.embedding.stop_lists import FollowedStopLists, StopRule


class Wishes(NamedTuple):
    """Arguments of an app, as `EmbeddedClient` describes them."""

    lifetime_cap: Epsilon | None
    consent: str
    secret: Handed | None
    rollback_safe: bool
    attributes: Mapping[str, str]
    stops: StopRule | None
    limits: QueueLimits | None
    interval: float | None
    seal: Seal | None = None
    relay_key: str | None = None


class Assembly(NamedTuple):
    """The parts; without a transport there is no sender."""

    scope: Scope
    consent: Consent
    counts: Counts
    outbox: Outbox
    recorder: Recorder
    consent_actions: ConsentActions
    sender: Sender | None
    asking: FollowedStopLists | None


def sealed_way(
    survey: Survey,
    relay: Relay | None,
    collector: str | None,
    transport: Transport | None,
) -> tuple[Transport | None, Seal | None]:
    """Return the transport to a relay, and the seal for it; without a relay, the given
    transport.

    Raises `ValueError` for a relay beside another way, and what `sealing.sealer`
    raises.
    """
    if relay is None:
        return transport, None
    if isinstance(relay, str):
        raise ValueError("expected relay=Relay(address, key), got a text")
    if collector is not None or transport is not None:
        raise ValueError(
            "expected a relay alone, got a collector or transport beside it: the relay "
            "has the collector's address, and Relay(..., transport=) a place for a "
            "transport"
        )
    from ldp_client.delivery.sealing import carrier_to, sealer

    return carrier_to(relay), sealer(relay, survey)


def carrier(
    survey: Survey,
    collector: str | None,
    transport: Transport | None,
    *,
    is_watched: bool,
) -> Transport | None:
    """Return the transport of batches: an app's own, or one to a collector's address,
    if any.

    One that is watched logs what it carries. Raises `ValueError` for both.
    """
    if collector is not None:
        if transport is not None:
            raise ValueError(
                "expected a collector or a transport, got both: a transport has an "
                "address of its own, HTTPTransport(collector, token=...)"
            )
        transport = HTTPTransport(collector)
    if transport is None or not (is_watched or is_set("LDP_LOG_BATCHES")):
        return transport
    from ldp_client.delivery.debugging import LoggingTransport

    return LoggingTransport(transport, survey)


def is_set(switch: str) -> bool:
    """Whether the environment has a switch turned on."""
    return os.environ.get(switch, "0") not in ("", "0")


def assemble(
    survey: Survey,
    store: Database,
    transport: Transport | None,
    wishes: Wishes,
    *,
    random: Random,
) -> Assembly:
    """The parts of a client that keeps its records in a store, and sends by a
    transport.

    Raises `ValueError` for wishes that make no sense.
    """
    if wishes.consent not in (ON, OFF):
        raise ValueError(f"expected consent {ON!r} or {OFF!r}, got {wishes.consent!r}")
    if wishes.limits is not None and not isinstance(wishes.limits, QueueLimits):
        raise ValueError("expected limits=QueueLimits(...), got something else")
    if wishes.stops is not None and isinstance(wishes.stops, str):
        raise ValueError("expected stops=StopRule(key), got a text")
    scope = NO_COLLECTOR
    if wishes.relay_key is not None:
        # Whoever reads the reports, by whichever relay they come.
        scope = Scope.of(wishes.relay_key.strip())
    elif transport is not None:
        scope = Scope.of(getattr(transport, "destination", NAMELESS))
    consent = Consent(store, survey, otherwise=wishes.consent)
    adoption = Adoption(store, survey, scope)
    counts = Counts()
    outbox = Outbox(
        store,
        queue=scope.survey_key(survey),
        orphaned=NO_COLLECTOR.survey_key(survey),
        limits=wishes.limits or QueueLimits(),
        random=random,
        count=counts.add,
        inherits=adoption.inherits,
        repeatable=[
            envelope.fingerprint for envelope in survey.envelopes if envelope.memoizes
        ],
        seal=wishes.seal,
    )
    asking = sender = None
    if wishes.stops is not None:
        from ldp_client.embedding.stop_lists import FollowedStopLists

        asking = FollowedStopLists(
            store, wishes.stops, survey.name, key=scope.survey_key(survey)
        )
    if transport is not None:
        sender = Sender(
            outbox,
            transport,
            counts,
            allowed=lambda: store.transact(consent.sends),
            interval=wishes.interval,
            random=random,
            look=_looking(asking, transport),
            apart=wishes.seal is not None,
        )
    recorder = Recorder(
        survey,
        store,
        adoption,
        consent=consent,
        outbox=outbox,
        cap=None if wishes.lifetime_cap is None else bound(wishes.lifetime_cap),
        vault=Vault(wishes.secret),
        random=random,
        derives=wishes.rollback_safe,
        attributes=dict(wishes.attributes),
        counts=counts,
    )
    consent_actions = ConsentActions(store, consent, recorder, outbox=outbox)
    return Assembly(
        scope,
        consent,
        counts,
        outbox=outbox,
        recorder=recorder,
        consent_actions=consent_actions,
        sender=sender,
        asking=asking,
    )


def _looking(
    asking: FollowedStopLists | None, transport: Transport
) -> Callable[[bool], object]:
    """Return the function called before sending (True) or without, to look for a stop
    list.
    """
    if asking is None:
        return lambda _: None
    return lambda sends: asking.look(transport, sends=sends)
