/**
 * A hook for React 18 and newer: an embedded client that lives as long as the component that asks.
 *
 * An entry of its own (`ldpkit-client/react`), so that whoever has no React loads none of it.
 */

import { useCallback, useEffect, useRef, useState } from "react";

import { EmbeddedClient } from "./embedding.js";
import type { EmbeddedSettings } from "./settings.js";
import type { Answer, Survey } from "./survey.js";

/** What a component gets: whether the client is there, and ways to answer, to agree, and to look at what was spent. */
export interface Asking {
  readonly ready: boolean;
  /** Randomizes the answer on this device; whether there is a report. The answer is kept in no state. */
  readonly record: (name: string, answer: Answer) => Promise<boolean>;
  readonly setConsent: (said: "on" | "off" | "forget") => Promise<boolean>;
  readonly client: EmbeddedClient | null;
}

/**
 * Asks a survey, or nothing yet where it is null. Settings are those of the first rendering with a survey: a survey that is
 * another object opens another client, and closes the one before.
 */
export function useSurvey(survey: Survey | null, settings: EmbeddedSettings = {}): Asking {
  const [client, setClient] = useState<EmbeddedClient | null>(null);
  const first = useRef(settings);
  useEffect(() => {
    if (!survey) return undefined;
    const opened = new EmbeddedClient(survey, first.current);
    setClient(opened);
    return () => {
      setClient(null);
      void opened.close();
    };
  }, [survey]);
  const record = useCallback(
    async (name: string, answer: Answer) => (client ? client.record(name, answer) : false), [client],
  );
  const setConsent = useCallback(
    async (said: "on" | "off" | "forget") => (client ? client.setConsent(said) : false), [client],
  );
  return { ready: client !== null, record, setConsent, client };
}
