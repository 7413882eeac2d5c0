import time

import pytest

from core.engine.polling import is_polling


@pytest.mark.parametrize("path", ["/metrics", "/health", "/v1/models"])
def test_an_answered_question_of_ours(path: str) -> None:
    assert is_polling(f'(APIServer pid=640) INFO:     127.0.0.1:60436 - "GET {path} HTTP/1.1" 200 OK')
    assert is_polling(f'INFO:     127.0.0.1:60436 - "GET {path} HTTP/1.1" 200 OK')


@pytest.mark.parametrize(
    "line",
    [
        'INFO:     127.0.0.1:1 - "GET /metrics HTTP/1.1" 500 Internal Server Error',
        'INFO:     127.0.0.1:1 - "GET /v1/models HTTP/1.1" 401 Unauthorized',
        'INFO:     127.0.0.1:1 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
        'INFO:     127.0.0.1:1 - "GET /v1/models/extra HTTP/1.1" 200 OK',
        "INFO 12-01 [launcher.py:46] Route: /metrics, Methods: GET",
        "",
    ],
)
def test_every_other_line_stays(line: str) -> None:
    assert not is_polling(line)


def test_it_is_cheap() -> None:
    line = "(EngineCore pid=42) INFO 12-01 02:27:12 [core.py:9] line of many " * 3
    begun = time.thread_time()
    for _ in range(10_000):
        is_polling(line)
    assert time.thread_time() - begun < 0.2
