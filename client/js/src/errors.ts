/**
 * Every error that this package raises on purpose. No message ever contains an answer. Names are written out, as bundlers
 * shorten those of classes.
 */

/** Base of them all. */
export class LDPError extends Error {
  override name = "LDPError";
}

/** A survey that cannot be used: damaged, altered, or not the one that was expected. */
export class SurveyError extends LDPError {
  override name = "SurveyError";
}

/** An answer that its question cannot take. The message names the question, never the answer. */
export class AnswerError extends LDPError {
  override name = "AnswerError";
}

/** A second answer to a question whose whole privacy budget went into the first. */
export class AlreadyAnsweredError extends LDPError {
  override name = "AlreadyAnsweredError";
}

/** An answer that would cost more than the survey lets a device spend over its lifetime. */
export class BudgetError extends LDPError {
  override name = "BudgetError";
}

/** The source of randomness failed; nothing was reported. */
export class RandomnessError extends LDPError {
  override name = "RandomnessError";
}

/** A device's memory that cannot be read or written; nothing was reported. */
export class StateError extends LDPError {
  override name = "StateError";
}

/** An answer that was dropped: the device drew another question of the same draw. */
export class NotDrawnError extends LDPError {
  override name = "NotDrawnError";
}
