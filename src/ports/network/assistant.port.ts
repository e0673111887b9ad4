import type { JsonObject } from '../../kernel/json/json.js';

/** One turn of a conversation. A model has no memory: every question contains all turns, oldest first. */
export type AssistantMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ToolCall[] }
  /** The outcome of the tool call with this id. */
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

/** A tool that the model may request. This port calls nothing: its user decides and makes the call. */
export interface AssistantTool {
  /** 1 to 64 letters, digits, underscores and hyphens. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote it. It should be a JSON object, but may be anything. */
  readonly arguments: string;
}

export interface AssistantQuestion {
  readonly messages: readonly AssistantMessage[];
  readonly tools?: readonly AssistantTool[];
  /** The model's name. Default: the configured one. */
  readonly model?: string;
  /** Requests one JSON object, if the server supports that. The text must still be validated. */
  readonly json?: boolean;
  /** For the whole call, retries included. */
  readonly deadlineMs: number;
}

export interface AssistantAnswer {
  /** Empty when the model only calls tools. */
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  /** The answer was cut off at the length limit. */
  readonly cut: boolean;
}

/** No model address is configured. */
export class AssistantNotConfigured extends Error {}

/** The server is unavailable, too busy or too slow: the same question may succeed later. */
export class AssistantUnavailable extends Error {
  constructor(
    message: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

/** The server rejects the question: wrong key, model name or address, or the question is too long. */
export class AssistantRefused extends Error {}

/** The response is not a valid answer, or is too large. */
export class AssistantAnswerUnreadable extends Error {}

/**
 * A language model on another server. Its answers derive from texts that anyone may have written, so they are data and
 * never instructions. Errors are one sentence for the operator's log, without the key, the address or any part of the
 * conversation.
 */
export abstract class Assistant {
  /** Whether a model can be asked. */
  abstract readonly configured: boolean;

  /**
   * Asks once, and a second time if the server asks for a retry soon. Nothing is remembered between calls.
   * @throws AssistantNotConfigured, AssistantUnavailable, AssistantRefused, AssistantAnswerUnreadable
   */
  abstract ask(question: AssistantQuestion): Promise<AssistantAnswer>;
}
