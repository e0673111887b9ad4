import type { Clock } from '../../../ports/clock.port.js';
import {
  Assistant,
  type AssistantAnswer,
  AssistantAnswerUnreadable,
  type AssistantQuestion,
  AssistantRefused,
  AssistantUnavailable,
} from '../../../ports/network/assistant.port.js';
import { Redactor } from '../../../secret-text/hiding/redactor.js';
import { assistantAnswerOf, requestOf } from './completion.js';

export interface OpenAiOptions {
  /** `/chat/completions` is appended to the path, e.g. to `https://api.openai.com/v1`. */
  readonly url: string;
  readonly key: string | undefined;
  readonly model: string;
  readonly clock: Clock;
}

type Reply =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly status: number; readonly retryAfterSeconds: number | undefined };

/**
 * Largest response that is read, in bytes. A proper answer is smaller, even with the longest function that can be saved
 * and its summary.
 */
const largestAnswer = 4 * 1024 * 1024;

/**
 * Longest delay before a retry, in seconds. If the server asks for a longer one, there is no retry, and the caller gets
 * the server's delay.
 */
const longestWaitSeconds = 10;

/**
 * Uses `fetch` instead of the egress client, because the operator has chosen the server, so its address need not be
 * checked.
 */
export class OpenAiAssistant extends Assistant {
  override readonly configured = true;
  /** False once the server has refused a request for JSON but accepted the same request in plain form. */
  private offersJson = true;
  private readonly redactor: Redactor;

  constructor(private readonly options: OpenAiOptions) {
    super();
    this.redactor = new Redactor(options.key === undefined ? [] : [options.key]);
  }

  override async ask(question: AssistantQuestion): Promise<AssistantAnswer> {
    const late = new AbortController();
    const callOff = this.options.clock.after(question.deadlineMs, () => late.abort());
    try {
      return await this.converse(question, late.signal);
    } catch (error) {
      if (late.signal.aborted) throw new AssistantUnavailable('The assistant did not answer in time.');
      throw error;
    } finally {
      callOff();
    }
  }

  private async converse(question: AssistantQuestion, signal: AbortSignal): Promise<AssistantAnswer> {
    const { model = this.options.model } = question;
    const json = question.json === true && this.offersJson;
    const reply = await this.patiently(requestOf(model, question, json), signal);
    if (reply.ok) return this.keyless(assistantAnswerOf(reply.text));
    if (!json || (reply.status !== 400 && reply.status !== 422)) return troubleOf(reply);
    const plain = await this.post(requestOf(model, question, false), signal);
    if (!plain.ok) return troubleOf(plain);
    this.offersJson = false;
    return this.keyless(assistantAnswerOf(plain.text));
  }

  /** Removes the API key, because the server could repeat it in its answer. */
  private keyless({ content, toolCalls, cut }: AssistantAnswer): AssistantAnswer {
    const hidden = (text: string) => this.redactor.text(text).value;
    const calls = toolCalls.map(({ id, name, arguments: text }) => ({
      id: hidden(id),
      name: hidden(name),
      arguments: hidden(text),
    }));
    return { content: hidden(content), toolCalls: calls, cut };
  }

  private async patiently(body: string, signal: AbortSignal): Promise<Reply> {
    const reply = await this.post(body, signal);
    if (reply.ok || !isBusy(reply.status)) return reply;
    const { retryAfterSeconds = 1 } = reply;
    if (retryAfterSeconds > longestWaitSeconds) return reply;
    await this.pause(retryAfterSeconds * 1_000, signal);
    return this.post(body, signal);
  }

  private async post(body: string, signal: AbortSignal): Promise<Reply> {
    const { url, key, clock } = this.options;
    try {
      const response = await fetch(completionsOf(url), {
        method: 'POST',
        // The key must not follow a redirect to another server.
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        body,
        signal,
      });
      if (response.ok) return { ok: true, text: await textOf(response) };
      await response.body?.cancel();
      const retryAfterSeconds = retryAfterOf(response.headers.get('retry-after'), clock.now());
      return { ok: false, status: response.status, retryAfterSeconds };
    } catch (error) {
      if (error instanceof AssistantAnswerUnreadable) throw error;
      // Omits the message of fetch's error, because it can contain the address.
      throw new AssistantUnavailable(`The assistant cannot be reached (${codeOf(error)}).`);
    }
  }

  private pause(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const end = () => {
        callOff();
        reject(signal.reason);
      };
      const callOff = this.options.clock.after(ms, () => {
        signal.removeEventListener('abort', end);
        resolve();
      });
      signal.addEventListener('abort', end, { once: true });
    });
  }
}

function completionsOf(base: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  return url;
}

async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > largestAnswer) throw new AssistantAnswerUnreadable("The assistant's response is too large.");
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

const isBusy = (status: number) => status === 429 || status === 503;

function troubleOf({ status, retryAfterSeconds }: Reply & { readonly ok: false }): never {
  const sentence = `The assistant's server responded with the status ${status}.`;
  if (isBusy(status) || status === 408 || status >= 500) throw new AssistantUnavailable(sentence, retryAfterSeconds);
  throw new AssistantRefused(sentence);
}

function codeOf(error: unknown): string {
  const cause = error !== null && typeof error === 'object' && 'cause' in error ? error.cause : undefined;
  const code = cause !== null && typeof cause === 'object' && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^[A-Z_]{1,60}$/.test(code) ? code : 'no reason given';
}

/** Returns seconds. The header contains seconds or a date. */
function retryAfterOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1_000));
}
