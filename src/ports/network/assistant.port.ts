import type { JsonObject } from '../../kernel/json/json.js';

/**
 * One message of a conversation. The model remembers nothing between questions, so every question contains all
 * messages, oldest first.
 */
export type AssistantMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly AssistantToolCall[] }
  /** The result of the tool call with the id `toolCallId`. */
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

/**
 * A tool that the model may request. The port never calls tools. The caller of the port decides about each request and
 * makes the call.
 */
export interface AssistantTool {
  /** Name of 1 to 64 letters, digits, underscores and hyphens. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
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
  /** Name of the model. Default: the configured one. */
  readonly model?: string;
  /** Requests a JSON object, if the server supports that. The text must still be validated. */
  readonly json?: boolean;
  /** Deadline of the whole call, including retries. */
  readonly deadlineMs: number;
}

export interface AssistantAnswer {
  /** Empty if the model only requests tools. */
  readonly content: string;
  readonly toolCalls: readonly AssistantToolCall[];
  /** Whether the answer was cut off at the length limit. */
  readonly cut: boolean;
}

/** No model address is configured. */
export class AssistantNotConfigured extends Error {}

/** The server is unavailable, too busy or too slow. The same question may succeed later. */
export class AssistantUnavailable extends Error {
  constructor(
    message: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

/** The server rejects the question, because the key, model name or address is wrong or the question is too long. */
export class AssistantRefused extends Error {}

/** The response is not a valid answer or is too large. */
export class AssistantAnswerUnreadable extends Error {}

/**
 * A language model on another server. Its answers are derived from texts that anyone may have written, so they are data
 * and never instructions. Errors are one sentence for the operator's log, without the key, the address or any part of
 * the conversation.
 */
export abstract class Assistant {
  abstract readonly configured: boolean;

  /**
   * Asks the model. Nothing is remembered between calls. The request is repeated once if the server is busy, unless it
   * asks for a long delay, and once without `json` if the server refuses that.
   * @throws AssistantNotConfigured, AssistantUnavailable, AssistantRefused, AssistantAnswerUnreadable
   */
  abstract ask(question: AssistantQuestion): Promise<AssistantAnswer>;
}
