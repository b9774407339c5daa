"""Automations fire for events that come, that do not come, and that come together or in order."""
# scenario: both databases, timeout 120 s

from datetime import timedelta

from prefect.automations import Automation, CompoundTrigger, DoNothing, EventTrigger, Posture, SequenceTrigger
from prefect.events import emit_event
from readback import delete, eventually, events, holds, post, same, unique

MARK = unique("trigger")
made = []


def part(name: str, **more) -> EventTrigger:
    return EventTrigger(expect={f"{MARK}.{name}"}, posture=Posture.Reactive, threshold=1, **more)


def automate(name: str, trigger) -> Automation:
    automation = Automation(name=f"{MARK} {name}", trigger=trigger, actions=[DoNothing()]).create()
    made.append(automation)
    return automation


def emit(name: str, resource: str = "door", **more) -> str:
    return str(emit_event(event=f"{MARK}.{name}", resource={"prefect.resource.id": f"{MARK}.{resource}"}, **more).id)


def fired(automation: Automation, count: int, seconds: float = 40) -> list:
    resource = {"id": [f"prefect.automation.{automation.id}"]}
    found = events({"event": {"name": ["prefect.automation.triggered"]}, "resource": resource}, count, seconds)
    return [(one["payload"]["triggering_event"] or {}).get("id") for one in found]


minute = timedelta(minutes=1)
each = automate("each", part("a", match={"prefect.resource.id": f"{MARK}.do*"}))
twice = automate(
    "twice",
    EventTrigger(
        expect={f"{MARK}.a"},
        posture=Posture.Reactive,
        threshold=2,
        within=minute,
        for_each={"prefect.resource.id"},
    ),
)
both = automate("both", CompoundTrigger(require="all", within=minute, triggers=[part("a"), part("b")]))
either = automate("either", CompoundTrigger(require="any", within=minute, triggers=[part("b"), part("c")]))
in_order = automate("in order", SequenceTrigger(within=minute, triggers=[part("b"), part("c")]))
missing = automate(
    "missing",
    EventTrigger(
        after={f"{MARK}.begun"},
        expect={f"{MARK}.ended"},
        for_each={"prefect.resource.id"},
        posture=Posture.Proactive,
        threshold=1,
        within=timedelta(seconds=10),
    ),
)
# The reference learns of new automations a little later.
mine = {"automations": {"name": {"any_": [one.name for one in made]}}}
eventually("the automations are there", lambda: len(post("/automations/filter", mine)) == len(made))

emit("begun", "done")
late = emit("begun", "late")
emit("ended", "done")
c1 = emit("c")
a1, a_other = emit("a"), emit("a", "window")
same(fired(each, 1), [a1], "an event that matches")
b1 = emit("b")
same(fired(both, 1), [b1], "both parts")
a2 = emit("a")
same(fired(twice, 1), [a2], "the second event of one resource")
same(sorted(fired(each, 2)), sorted([a1, a2]), "every event that matches")
same(sorted(fired(either, 2)), sorted([c1, b1]), "either part")
c2 = emit("c")
same(fired(in_order, 1), [c2], "in order")

same(fired(missing, 1, 60), [late], "an event that did not come")
of_missing = {"id": [f"prefect.automation.{missing.id}"]}
action = events({"event": {"prefix": ["prefect.automation.action."]}, "resource": of_missing}, 2)
same([one["event"].rpartition(".")[2] for one in action], ["triggered", "executed"], "what was done")
triggered = events({"event": {"name": ["prefect.automation.triggered"]}, "resource": of_missing}, 1)[0]
same(triggered["payload"]["triggering_labels"], {"prefect.resource.id": f"{MARK}.late"}, "whose event did not come")
same(triggered["resource"]["prefect.posture"], "Proactive", "posture")
holds(a_other not in fired(each, 2), "an event that does not match")
for automation in made:
    delete(f"/automations/{automation.id}")
