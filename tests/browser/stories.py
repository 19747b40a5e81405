"""What happened, for people to find: each story is one thing that goes wrong in the life of agents."""

from tests.browser import stories_of_trouble as trouble
from tests.browser import stories_of_work as work
from tests.browser.seed import SECOND, Story


def everything(now_ns: int) -> list[Story]:
    makers = (
        work.charged_thrice,
        work.ran_twice,
        work.three_at_once,
        work.wrong_field,
        work.corrected,
        work.paused,
        work.resumed,
        work.approval,
        trouble.unheard,
        trouble.loop,
        trouble.hostile,
        trouble.awkward,
        trouble.secret,
        trouble.running,
        trouble.thrown_away,
        trouble.huge,
        trouble.invented,
        trouble.unreadable,
        trouble.same_id,
    )
    return [make(now_ns - (index * 97 + 20) * SECOND) for index, make in enumerate(makers)]
