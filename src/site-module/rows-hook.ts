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

export function useRows(table: string, options: Asked = {}): RowsState {
  // Options are often object literals, so they are compared by content.
  const sent = JSON.stringify(options);
  const userId = useUser()?.id;
  const [state, setState] = useState(none);
  const reading = useRef<() => void>(() => undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another user sees other rows
  useEffect(() => {
    const asked = JSON.parse(sent) as Asked;
    let isOver = false;
    let isReading = false;
    let isWanted = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = (end: (before: typeof none) => typeof none) => {
      if (!isOver) setState(end);
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
        settle((before) => ({ ...before, error: siteErrorOf(error), loading: false }));
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
  }, [table, sent, userId]);
  const reload = useCallback(() => reading.current(), []);
  return { ...state, reload };
}

const siteErrorOf = (error: unknown): SiteError =>
  error instanceof SiteError ? error : new SiteError(0, 'failed', String(error));
