"""The Try page: ask the running engine, watch the answer come, put it under load."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from core.base.errors import DynoError
from core.client.chat import ChatParameters, ChatResult, stream_chat
from core.client.load import LoadResult, run_load
from gui import theme
from gui.format import model_name
from gui.pages.chat.load_card import LoadCard
from gui.pages.chat.messages import MessageCard, MessageList
from gui.pages.chat.parameters import ParameterPanel
from gui.pages.chat.prompt_box import PromptBox
from gui.pages.chat.stream import TextStream
from gui.tasks import Job, TaskHandle, TaskRunner
from gui.theme import SPACE
from gui.widgets import EmptyState, FilledButton, note, row, tool_button

_FLUSH_MS = 50
_SMALL_PROMPT = 1
_LARGE_PROMPT = 3
_ROOM_FOR_PARAMETERS = SPACE * 84


@dataclass(frozen=True, slots=True)
class Target:
    """Whom to ask: the running engine."""

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)


class _Results:
    """Ended requests on their way from the load's threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._items: list[tuple[int, ChatResult]] = []

    def put(self, index: int, result: ChatResult) -> None:
        with self._lock:
            self._items.append((index, result))

    def take(self) -> list[tuple[int, ChatResult]]:
        with self._lock:
            items, self._items = self._items, []
        return items


class ChatPage(QWidget):
    """See the module.

    Args:
        tasks: runs the requests.
        start: the button on the empty page asks for this.
    """

    busy_changed = Signal(bool)
    changed = Signal()

    def __init__(self, tasks: TaskRunner, start: Callable[[], object]) -> None:
        super().__init__()
        self._tasks = tasks
        self._target: Target | None = None
        self._waiting = ""
        self._handle: TaskHandle | None = None
        self._card: MessageCard | LoadCard | None = None
        self._compact = False
        self._wants_parameters: bool | None = None
        self._stream = TextStream()
        self._results = _Results()
        self._talk: list[dict[str, str]] = []
        self.messages = MessageList()
        self.parameters = ParameterPanel()
        self.parameters.changed.connect(self._tell)
        self.parameters.changed.connect(self.changed)
        self.prompt = PromptBox()
        self.prompt.sent.connect(self.send)
        self.prompt.textChanged.connect(self._tell)
        self.send_button = FilledButton(self.tr("Send"))
        self.send_button.clicked.connect(lambda: self.stop() if self.busy else self.send())
        self.new_button = tool_button("plus", self.tr("New conversation (Ctrl+N)"), self.clear)
        self.parameters_button = tool_button("tune", self.tr("Show the request's parameters"), self._toggle_parameters)
        self.parameters_button.setCheckable(True)
        self.hint = note()
        start_button = QPushButton(self.tr("Start the engine"))
        start_button.clicked.connect(lambda _checked=False: start())
        self._empty = EmptyState(
            "chat",
            self.tr("Talk to the engine"),
            "",
            [start_button],
        )
        self._start_button = start_button
        self._lay_out()
        escape = QShortcut(QKeySequence("Esc"), self)
        escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        escape.activated.connect(self.stop)
        self._flusher = QTimer(self)
        self._flusher.setInterval(_FLUSH_MS)
        self._flusher.timeout.connect(self._flush)
        theme.notifier().changed.connect(self._tell)
        self._tell()

    @property
    def busy(self) -> bool:
        """Whether an answer or a load is under way."""
        return self._handle is not None

    def set_target(self, target: Target | None) -> None:
        """Whom to ask from now on; None while no engine is ready."""
        self._target = target
        self._tell()

    def set_waiting(self, waiting: str) -> None:
        """Say why the engine does not answer.

        Args:
            waiting: a sentence while an engine is on its way; empty when it answers, or when there is none.
        """
        if waiting != self._waiting:
            self._waiting = waiting
            self._tell()

    def set_compact(self, compact: bool) -> None:
        """Leave the parameters out, for a small place."""
        self._compact = compact
        self.prompt.set_lines(_SMALL_PROMPT if compact else _LARGE_PROMPT)
        for button in (self.new_button, self.parameters_button):
            button.setVisible(not compact)
        self._fit_parameters()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_parameters()

    def focus_prompt(self) -> None:
        """Put the cursor where one types."""
        self.prompt.setFocus()

    def send(self) -> None:
        """Send what is typed, once or as a load."""
        text = self.prompt.toPlainText().strip()
        if not text or self.busy or self._target is None:
            return
        parallel, total = self.parameters.requests()
        self.prompt.clear()
        self.add_question(text)
        if total > 1:
            self._send_load(self._target, text, parallel, total)
        else:
            self._send_one(self._target, text)

    def stop(self) -> None:
        """Break the answer off; what has come stays."""
        if self._handle is not None:
            self._handle.ask_to_end()

    def clear(self) -> None:
        """Begin a new conversation."""
        if self.busy:
            return
        self._talk.clear()
        self.messages.clear()
        self._show_list()

    def add_question(self, text: str) -> None:
        """Show a question of the person's."""
        card = MessageCard(self.tr("You"), own=True)
        card.append(text)
        self.messages.add_card(card)
        self._show_list()

    def add_answer(self, model: str) -> MessageCard:
        """Show an empty answer, to be filled piece by piece."""
        card = MessageCard(model, own=False)
        self.messages.add_card(card)
        self._show_list()
        return card

    def _send_one(self, target: Target, text: str) -> None:
        self._talk.append({"role": "user", "content": text})
        system = self.parameters.system_prompt()
        messages = [*([{"role": "system", "content": system}] if system else []), *self._talk]
        parameters = self.parameters.parameters()
        card = self.add_answer(target.model)
        stream = TextStream()

        def work(job: Job) -> ChatResult:
            return stream_chat(
                target.base_url,
                target.model,
                messages,
                parameters,
                api_key=target.api_key,
                on_text=stream.put,
                cancel=job.cancel,
            )

        def done(result: ChatResult) -> None:
            self._end()
            card.append(stream.take())
            card.finish(result)
            if result.error:
                # A failed turn is not part of the talk: the next message starts from the last good state.
                self._talk.pop()
            else:
                self._talk.append({"role": "assistant", "content": result.text})

        def failed(error: DynoError) -> None:
            self._end()
            self._talk.pop()
            card.show_problem(error.message, error.hint)

        self._stream = stream
        self._begin(card, self._tasks.run_task(work, on_done=done, on_error=failed, name="chat"))

    def _send_load(self, target: Target, text: str, parallel: int, total: int) -> None:
        parameters: ChatParameters = self.parameters.parameters()
        results = _Results()
        card = LoadCard(total, parallel)
        self.messages.add_card(card)

        def work(job: Job) -> LoadResult:
            return run_load(
                target.base_url,
                target.model,
                [text] * total,
                parameters,
                parallel=parallel,
                api_key=target.api_key,
                on_result=results.put,
                cancel=job.cancel,
            )

        def done(result: LoadResult) -> None:
            self._end()
            card.add_results(results.take())
            card.finish(result)

        def failed(error: DynoError) -> None:
            self._end()
            answer = self.add_answer(target.model)
            answer.show_problem(error.message, error.hint)

        self._results = results
        self._begin(card, self._tasks.run_task(work, on_done=done, on_error=failed, name="load"))

    def _begin(self, card: MessageCard | LoadCard, handle: TaskHandle) -> None:
        self._card = card
        self._handle = handle
        self._flusher.start()
        self._tell()
        self.busy_changed.emit(True)

    def _end(self) -> None:
        self._handle = None
        self._card = None
        self._flusher.stop()
        self._tell()
        self.busy_changed.emit(False)

    def _flush(self) -> None:
        if isinstance(self._card, MessageCard):
            self._card.append(self._stream.take())
        elif isinstance(self._card, LoadCard):
            self._card.add_results(self._results.take())

    def _tell(self) -> None:
        _, total = self.parameters.requests()
        if self.busy:
            self.send_button.setText(self.tr("Stop"))
            self.send_button.setToolTip(self.tr("Stop the answer (Esc)"))
            icon = "stop"
        else:
            self.send_button.setText(self.tr("Send {0} times").format(total) if total > 1 else self.tr("Send"))
            self.send_button.setToolTip(self.tr("Send the message (Enter)"))
            icon = "send"
        able = self.busy or (self._target is not None and bool(self.prompt.toPlainText().strip()))
        theme.set_icon(self.send_button, icon, "on_fill" if able else "muted")
        self.send_button.setEnabled(able)
        self.hint.setText(self._waiting or self.tr("The engine is not ready; start it first."))
        self.hint.setVisible(self._target is None)
        self._tell_empty()

    def _tell_empty(self) -> None:
        tip = ""
        if self._target is not None:
            short = model_name(self._target.model)
            text = self.tr("{0} is ready. Type a message below.").format(short)
            tip = self._target.model if self._target.model != short else ""
        elif self._waiting:
            text = self.tr("Type a message below; it can be sent when the engine is ready.")
        else:
            text = self.tr("Choose a model and start the engine; when it is ready, type a message below.")
        self._empty.text.setText(text)
        self._empty.text.setToolTip(tip)
        self._start_button.setVisible(self._target is None and not self._waiting)

    def _show_list(self) -> None:
        self._stack.setCurrentWidget(self.messages if self.messages.cards() else self._empty)

    def _fit_parameters(self) -> None:
        # Until the person says otherwise, the panel is there where it leaves the talk enough room.
        wanted = self._wants_parameters
        shown = self.width() >= _ROOM_FOR_PARAMETERS if wanted is None else wanted
        self.parameters_button.setChecked(shown)
        self.parameters.setVisible(shown and not self._compact)

    def _toggle_parameters(self) -> None:
        self._wants_parameters = self.parameters_button.isChecked()
        self._fit_parameters()

    def _lay_out(self) -> None:
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.messages)
        buttons = QVBoxLayout()
        buttons.setSpacing(SPACE // 2)
        buttons.addWidget(self.send_button)
        buttons.addLayout(row(self.new_button, None, self.parameters_button))
        buttons.addStretch(1)
        bottom = QHBoxLayout()
        bottom.setContentsMargins(SPACE, 0, SPACE, SPACE)
        bottom.setSpacing(SPACE)
        bottom.addWidget(self.prompt, 1)
        bottom.addLayout(buttons)
        below = QHBoxLayout()
        below.setContentsMargins(SPACE, 0, SPACE, 0)
        below.addWidget(self.hint)
        left = QVBoxLayout()
        left.setSpacing(SPACE // 2)
        left.addWidget(body, 1)
        left.addLayout(below)
        left.addLayout(bottom)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(left, 1)
        layout.addWidget(self.parameters)
