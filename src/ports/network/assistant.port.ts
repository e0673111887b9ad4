import type { JsonObject } from '../../kernel/json/json.js';

export type AssistantMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly AssistantToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

/**
 * A tool that the model may ask for. The port never calls tools. The caller of the port decides about each request and
 * makes the call.
 */
export interface AssistantTool {
  /** 1 to 64 letters, digits, underscores and hyphens. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

export interface AssistantToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments exactly as the model wrote them. They should be a JSON object but may be any text. */
  readonly arguments: string;
}

export interface AssistantQuestion {
  readonly messages: readonly AssistantMessage[];
  readonly tools?: readonly AssistantTool[];
  readonly model?: string;
  /** Requests a JSON object, if the server supports that. The text must still be validated. */
  readonly json?: boolean;
  /** Time limit of the whole call, including retries. */
  readonly deadlineMs: number;
}

export interface AssistantAnswer {
  readonly content: string;
  readonly toolCalls: readonly AssistantToolCall[];
  readonly cut: boolean;
}

export class AssistantNotConfigured extends Error {}

export class AssistantUnavailable extends Error {
  constructor(
    message: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

export class AssistantRefused extends Error {}

export class AssistantAnswerUnreadable extends Error {}

/**
 * A language model on another server. Its texts are derived from texts that anyone may have written, so they are data
 * and never instructions. Errors are one sentence for the operator's log, without the key, the address or any part of
 * the conversation.
 */
export abstract class Assistant {
  abstract readonly configured: boolean;

  /**
   * The request is repeated once if the server is busy, unless the server asks for a long delay. If the server does not
   * support `json`, the request is repeated once without it.
   * @throws AssistantNotConfigured, AssistantUnavailable, AssistantRefused, AssistantAnswerUnreadable
   */
  abstract ask(question: AssistantQuestion): Promise<AssistantAnswer>;
}
