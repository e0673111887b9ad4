import { createContext, useCallback, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { auth } from './auth.js';
import { functions } from './calls.js';
import type { Place } from './route.js';
import type { FunctionState, JsonObject, SiteUser } from './site.js';
import { SiteError } from './site-error.js';
import { currentSite, currentVisit, onVisitChange } from './visit.js';

/** Undefined in apps that are not pages of a site. */
export const PlaceContext = createContext<Place | undefined>(undefined);

const userNow = () => currentVisit().user ?? null;
const nobody = () => null;
let isAsked = false;

export function useUser(): SiteUser | null {
  useEffect(() => {
    if (isAsked || currentSite() !== undefined || currentVisit().user !== undefined) return;
    isAsked = true;
    auth.me().catch(() => {
      isAsked = false;
    });
  }, []);
  return useSyncExternalStore(onVisitChange, userNow, nobody);
}

const none = {};
export const useParams = (): Readonly<Record<string, string>> => useContext(PlaceContext)?.params ?? none;

export function useFunction<Result = unknown>(name: string, params: JsonObject = {}): FunctionState<Result> {
  // Params are compared by content, because they are often object literals, which are new at every rendering.
  const sent = JSON.stringify(params);
  const [round, setRound] = useState(0);
  const [state, setState] = useState<Omit<FunctionState<Result>, 'reload'>>({
    data: undefined,
    error: undefined,
    loading: true,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round is another call
  useEffect(() => {
    let isLate = false;
    const settle = (end: (before: typeof state) => typeof state) => (isLate ? undefined : setState(end));
    setState((before) => (before.loading ? before : { ...before, loading: true }));
    functions.invoke<Result>(name, JSON.parse(sent) as JsonObject).then(
      (data) => settle(() => ({ data, error: undefined, loading: false })),
      (error: unknown) => settle(({ data }) => ({ data, error: siteErrorOf(error), loading: false })),
    );
    return () => {
      isLate = true;
    };
  }, [name, sent, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { ...state, reload };
}

const siteErrorOf = (error: unknown): SiteError =>
  error instanceof SiteError ? error : new SiteError(0, 'failed', String(error));
