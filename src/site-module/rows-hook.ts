import { useCallback, useEffect, useRef, useState } from 'react';
import { tables } from './calls.js';
import { useUser } from './hooks.js';
import { listenToRows } from './realtime.js';
import type { JsonObject, RowsState, Sort } from './site.js';
import { SiteError } from './site-error.js';

interface Asked {
  readonly filter?: JsonObject;
  readonly sort?: Sort;
  readonly limit?: number;
}

/** Time, in milliseconds, in which several changes lead to a single read. */
const gatheredMs = 150;
const none: Omit<RowsState, 'reload'> = { rows: [], total: 0, error: undefined, loading: true };
/** Statuses that mean that the visitor may not read the rows, or that there is no such table. */
const refused: ReadonlySet<number> = new Set([401, 403, 404]);

export function useRows(table: string, options: Asked = {}): RowsState {
  // Options are often object literals, so they are compared by content.
  const sent = JSON.stringify(options);
  const userId = useUser()?.id;
  // Another user sees other rows, so rows are shown only while the user and table are those they were read for.
  const readFor = JSON.stringify([table, userId]);
  const [shown, setShown] = useState({ readFor, state: none });
  const reading = useRef<() => void>(() => undefined);
  useEffect(() => {
    const asked = JSON.parse(sent) as Asked;
    let isOver = false;
    let isReading = false;
    let isWanted = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = (end: (before: typeof none) => typeof none) => {
      if (!isOver) setShown((before) => ({ readFor, state: end(before.readFor === readFor ? before.state : none) }));
    };
    const read = async () => {
      if (isReading) {
        isWanted = true;
        return;
      }
      isReading = true;
      try {
        const { rows, total } = await tables.getRows(table, asked);
        settle(() => ({ rows, total, error: undefined, loading: false }));
      } catch (error) {
        const failed = { error: siteErrorOf(error), loading: false };
        settle((before) => ({ ...(refused.has(failed.error.status) ? none : before), ...failed }));
      }
      isReading = false;
      if (isWanted && !isOver) {
        isWanted = false;
        void read();
      }
    };
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void read();
      }, gatheredMs);
    };
    reading.current = () => void read();
    void read();
    const stop = listenToRows(table, asked.filter, {
      changed: (change) => {
        if (change?.op === 'gone') {
          settle((before) => ({ ...before, rows: before.rows.filter(({ id }) => id !== change.rowId) }));
        }
        soon();
      },
      // If the subscription ends, for example because the visitor has lost access, a new read shows whether the rows
      // are still readable.
      ended: soon,
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [table, sent, readFor]);
  const reload = useCallback(() => reading.current(), []);
  return { ...(shown.readFor === readFor ? shown.state : none), reload };
}

const siteErrorOf = (error: unknown): SiteError =>
  error instanceof SiteError ? error : new SiteError(0, 'failed', String(error));
