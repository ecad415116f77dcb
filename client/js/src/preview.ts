/**
 * What would be sent, shown before anything is (`client/ldp_client/embedding/preview.py`), to a person who decides and to the app that
 * asks her. It is drawn by the law of the report that would be sent and thrown away: show it, and do not store or send it.
 */

import { type Bytes, hex } from "./bytes.js";
import { shown } from "./ledger.js";
import type { Random } from "./randomness.js";
import { logUpper, power } from "./ratio.js";
import type { Answer, Question } from "./survey.js";

const SHOWN_BYTES = 16;

export class Preview {
  private constructor(
    readonly question: string, readonly row: Bytes,
    /** Of one report, and of all reports about answers to the question, ever. */
    readonly epsilon: number, readonly lifetimeEpsilon: number,
    /** How likely one report can make an answer at most that was thought 50 % likely before. */
    readonly mostLikely: number,
    /** Whether another question of a draw may be answered in place of this one. */
    readonly drawn: boolean,
  ) {}

  /** Throws `AnswerError` for an answer that does not fit its question. */
  static of(question: Question, answer: Answer, random: Random): Preview {
    const { randomizer } = question;
    const row = randomizer.randomize(question.value(answer, random), random);
    const epsilon = logUpper(randomizer.ratio);
    const lifetime = logUpper(power(question.price, question.charges));
    const likely = Math.min(1, (1 + 1e-12) / (1 + Math.exp(-epsilon)));
    return new Preview(question.name, row, epsilon, lifetime, likely, question.draw !== undefined);
  }

  toString(): string {
    const start = hex(this.row.subarray(0, SHOWN_BYTES)) + (this.row.length > SHOWN_BYTES ? "..." : "");
    const percent = (Math.ceil(1000 * this.mostLikely) / 10).toFixed(1);
    return (
      `${this.question}: ${this.row.length} bytes would be sent${this.drawn ? " if this question is drawn" : ""}, such as ` +
      `${start}, drawn anew for this answer and any other alike.\n` +
      `Anyone who thought this answer 50 % likely may come to think it ${percent}% likely, at most ` +
      `(epsilon ${shown(this.epsilon)}; ${shown(this.lifetimeEpsilon)} for all answers that will ever be sent).`
    );
  }
}
