/** What happened to answers and reports, counted by reason; the first of each kind of trouble is logged, and no answer ever. */

import { AlreadyAnsweredError, AnswerError, BudgetError, LDPError, RandomnessError, StateError } from "./errors.js";
import type { Reason } from "./reasons.js";

const REASON_OF: readonly (readonly [new (message: string) => LDPError, Reason])[] = [
  [AlreadyAnsweredError, "answered"], [BudgetError, "budget"], [AnswerError, "answer"], [RandomnessError, "randomness"],
  [StateError, "state"],
];

export class Counts {
  readonly #numbers = new Map<Reason, number>();
  readonly #logged = new Set<string>();

  constructor(private readonly log: (message: string) => void) {}

  /** Count; of trouble, `detail` says what there was, which is logged at the first time for each question. */
  add(reason: Reason, number = 1, detail?: string, question = ""): void {
    if (number) this.#numbers.set(reason, (this.#numbers.get(reason) ?? 0) + number);
    const place = `${reason}: ${question && `question ${question}: `}`;
    // What was answered before does no harm, and comes at every start.
    if (!number || detail === undefined || reason === "answered" || this.#logged.has(place)) return;
    this.#logged.add(place);
    try {
      // What the reason means is in `REASONS`, which most programs need not carry.
      this.log(`ldpkit: ${place}${detail} (logged once)`);
    } catch {
      // An app's own log may fail as it likes.
    }
  }

  /**
   * Count an error. It is logged by its name only, unless its message is one of ours; that of an `AnswerError` may name a
   * question that is none: an answer, if the app mixed up the two. So `question` is one of the survey's, or empty.
   */
  note(error: unknown, otherwise: Reason = "unexpected", question = ""): void {
    const reason = REASON_OF.find(([Kind]) => error instanceof Kind)?.[1] ?? otherwise;
    const { name, message } = error instanceof Error ? error : new Error();
    this.add(reason, 1, error instanceof LDPError && reason !== "answer" ? message : name, question);
  }

  /** All that is not zero. */
  get numbers(): Partial<Record<Reason, number>> {
    return Object.fromEntries(this.#numbers);
  }
}
