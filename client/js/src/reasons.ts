/** What may become of answers, reports and batches (`client/ldp_client/delivery/counts.py`), by the names that they are counted under. */

export const REASONS = {
  recorded: "reports that were made, to be sent",
  "consent-off": "answers that were not recorded because the person does not agree to these terms",
  disabled: "answers that were not recorded because the environment has LDP_DISABLED or DO_NOT_TRACK",
  "not-drawn": "answers that were dropped because the device answers another question of a draw",
  daily: "answers beyond the first of a day, where an app records daily",
  answered: "answers to questions that this device has answered before",
  budget: "answers that would cost more than the device may spend",
  answer: "answers that do not fit their question: a mistake in the app, which a strict client raises",
  randomness: "answers for which the platform had no randomness",
  state: "answers, or attempts to send, for which the store could not be used",
  stopped: "answers to questions that the collector has stopped",
  "not-sampled": "answers to questions that the collector has asked of a share of the devices, of which this is none",
  "no-stop-list": "answers that were not recorded because no stop list was had for too long",
  "stop-list": "stop lists that could not be had, or are not to be followed",
  closed: "answers that came after the client was closed",
  transport: "errors of the transport, after each of which the batch is tried again",
  unexpected: "errors that no one thought of",
  "queue-full": "reports that were dropped because newer ones took their place",
  "too-old": "reports that were dropped because no one took them for too long",
  damaged: "reports that were dropped because something had changed them in the store",
  forgotten: "reports that were dropped because the person wanted all to be forgotten",
  accepted: "batches that the collector has, and counts",
  duplicate: "batches that the collector had already, and counts once",
  quarantined: "batches that the collector keeps until it serves their version of the survey",
  late: "batches of an epoch that the collector has closed: dropped",
  early: "batches of an epoch that has not begun, of a clock that is ahead: dropped",
  rejected: "batches that the collector had no use for: dropped",
  refused: "batches that the collector can never take: dropped",
  retry: "attempts that failed, after which a batch waits for another",
  held: "attempts that were turned away (a token, an address, a firewall), after which a batch waits for hours",
  offline: "attempts without a network, after which a batch waits for seconds",
} as const;

/** One of them. */
export type Reason = keyof typeof REASONS;
