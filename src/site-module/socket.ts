import { socketAddress } from './connection.js';
import { SiteError } from './site-error.js';
import { currentVisit, onVisitChange } from './visit.js';

export interface Said {
  readonly type: string;
  readonly id?: number;
  readonly [member: string]: unknown;
}

export interface Listening {
  readonly ask: object;
  heard(said: Said): void;
  /** Called when the subscription begins or begins again. Earlier messages may have been missed. */
  begun(): void;
  ended(error: SiteError): void;
}

interface Waiting {
  resolve(said: Said): void;
  reject(error: SiteError): void;
}

interface Unsent {
  readonly id: number;
  readonly text: string;
}

/**
 * Maximum number of messages per second. A message takes up room until a second after its answer, so that delayed
 * messages cannot all reach the service in one second. The service accepts 50 a second, pings included, and does not
 * answer further ones.
 */
const mostASecond = 45;
/** Maximum number of unsent messages. At this number, `ask` rejects; `listen` still adds subscriptions. */
const mostUnsent = 500;
const firstPauseMs = 500;
const longestPauseMs = 30_000;
/**
 * Time, in milliseconds, after which a silent connection is sent a ping. It is closed if nothing arrives in the
 * following `answerMs`.
 */
const silenceMs = 30_000;
const answerMs = 10_000;
/** Time, in milliseconds, for which an unused connection stays open for the next page. */
const idleMs = 5_000;

const tooMany = () => new SiteError(429, 'realtime-message-rate', 'Too many messages wait to be sent. Send fewer.');
const lost = () => new SiteError(0, 'unreachable', 'The connection was lost. Try again.');

const listening = new Map<number, Listening>();
const waiting = new Map<number, Waiting>();
let unsent: Unsent[] = [];
/** Ids of the messages sent on this connection that are not answered yet. */
let unanswered: number[] = [];
let room = mostASecond;
let socket: WebSocket | undefined;
let isOpen = false;
let pauseMs = firstPauseMs;
let lastId = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let watching: ReturnType<typeof setTimeout> | undefined;
let idling: ReturnType<typeof setTimeout> | undefined;
let userId: string | undefined;

export function listen(what: Listening): () => void {
  follow();
  const id = ++lastId;
  listening.set(id, what);
  if (isOpen) send({ ...what.ask, id });
  else connect();
  return () => {
    if (!listening.delete(id)) return;
    const { type, channel } = what.ask as { type: string; channel?: string };
    const ending = type === 'subscribe' ? { type: 'unsubscribe', channel } : { type: 'unsubscribe-rows' };
    const isShared = [...listening.values()].some(({ ask }) => 'channel' in ask && ask.channel === channel);
    if (isOpen && !(type === 'subscribe' && isShared)) send({ ...ending, id });
    closeWhenIdle();
  };
}

/** @throws SiteError */
export function ask(message: object): Promise<Said> {
  if (unsent.length >= mostUnsent) return Promise.reject(tooMany());
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    send({ ...message, id });
    connect();
  });
}

function send(message: { readonly id: number }): void {
  unsent.push(unsentOf(message));
  sendUnsent();
}

const unsentOf = (message: { readonly id: number }): Unsent => ({ id: message.id, text: JSON.stringify(message) });

function sendUnsent(): void {
  while (isOpen && room > 0) {
    const next = unsent.shift();
    if (next === undefined) return;
    room -= 1;
    unanswered.push(next.id);
    socket?.send(next.text);
  }
}

function answered(id: number): void {
  const index = unanswered.indexOf(id);
  if (index < 0) return;
  unanswered.splice(index, 1);
  const connection = socket;
  setTimeout(() => {
    if (socket !== connection) return;
    room += 1;
    sendUnsent();
  }, 1_000);
}

function connect(): void {
  if (socket !== undefined || timer !== undefined) return;
  const { url, protocols } = socketAddress();
  const made = new WebSocket(url, protocols);
  socket = made;
  userId = currentVisit().user?.id;
  made.onopen = () => {
    isOpen = true;
    pauseMs = firstPauseMs;
    unsent.unshift(...[...listening].map(([id, { ask: asked }]) => unsentOf({ ...asked, id })));
    sendUnsent();
    watch();
  };
  made.onmessage = ({ data }) => {
    watch();
    heard(JSON.parse(String(data)) as Said);
  };
  made.onclose = () => closed(made);
  made.onerror = () => undefined;
}

function heard(said: Said): void {
  const { id, type } = said;
  if (id !== undefined && type !== 'row' && type !== 'reload') answered(id);
  if (type === 'message' || (type === 'refused' && id === undefined)) {
    for (const [key, one] of listening) {
      if (!('channel' in one.ask) || one.ask.channel !== said['channel']) continue;
      if (type === 'message') one.heard(said);
      else end(key, one, said);
    }
    return;
  }
  const one = id === undefined ? undefined : listening.get(id);
  if (id !== undefined && one !== undefined) {
    if (type === 'subscribed') one.begun();
    else if (type === 'refused' || type === 'error') end(id, one, said);
    else one.heard(said);
    return;
  }
  const asked = id === undefined ? undefined : waiting.get(id);
  if (id === undefined || asked === undefined) return;
  waiting.delete(id);
  if (type === 'refused' || type === 'error') asked.reject(errorIn(said));
  else asked.resolve(said);
  closeWhenIdle();
}

function end(id: number, one: Listening, said: Said): void {
  listening.delete(id);
  one.ended(errorIn(said));
  closeWhenIdle();
}

const errorIn = ({ type, code, message }: Said): SiteError =>
  new SiteError(type === 'refused' ? 403 : 400, String(code), String(message));

function closed(made: WebSocket): void {
  if (socket !== made) return;
  socket = undefined;
  isOpen = false;
  unsent = [];
  unanswered = [];
  room = mostASecond;
  clearTimeout(watching);
  clearTimeout(idling);
  const left = [...waiting.values()];
  waiting.clear();
  for (const one of left) one.reject(lost());
  if (listening.size === 0) return;
  // The pause is random, because a service that stops closes many connections at once, and they should not all return
  // at once.
  const inMs = pauseMs * (0.5 + Math.random());
  pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  timer = setTimeout(() => {
    timer = undefined;
    connect();
  }, inMs);
}

function watch(): void {
  clearTimeout(watching);
  watching = setTimeout(() => {
    socket?.send(JSON.stringify({ type: 'ping' }));
    watching = setTimeout(() => drop(), answerMs);
  }, silenceMs);
}

function drop(): void {
  const before = socket;
  if (before === undefined) return;
  before.close();
  closed(before);
}

function closeWhenIdle(): void {
  clearTimeout(idling);
  if (socket === undefined) return;
  idling = setTimeout(() => {
    if (listening.size === 0 && waiting.size === 0) drop();
  }, idleMs);
}

let isFollowing = false;

/** Reconnects after a sign-in or sign-out, because a connection belongs to one visitor. */
function follow(): void {
  if (isFollowing) return;
  isFollowing = true;
  onVisitChange(() => {
    if (socket === undefined || currentVisit().user?.id === userId) return;
    pauseMs = firstPauseMs;
    drop();
  });
}
