import type { JsonObject } from '../kernel/json.js';

/** One turn of a conversation. A model has no memory: whoever asks sends all the turns, oldest first. */
export type AssistantMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ToolCall[] }
  /** What came of the tool call of this id. */
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

/** Something that the model may ask to have called. Nothing is called here: whoever asked judges and does it. */
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
  /** As the model wrote it: meant to be the text of a JSON object, and nothing vouches for that. */
  readonly arguments: string;
}

export interface AssistantQuestion {
  readonly messages: readonly AssistantMessage[];
  readonly tools?: readonly AssistantTool[];
  /** By its name; left out, the configured one. */
  readonly model?: string;
  /** Asks for one JSON object where that can be asked for. The text has to be judged all the same. */
  readonly json?: boolean;
  /** For everything together, whatever is tried again. */
  readonly deadlineMs: number;
}

export interface AssistantAnswer {
  /** Empty when the model only calls tools. */
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  /** The model ran out of room: the content is a beginning. */
  readonly cut: boolean;
}

/** Nobody has said where a model is. */
export class AssistantNotConfigured extends Error {}

/** It is away, too busy or too slow: the same question may be answered later. */
export class AssistantUnavailable extends Error {
  constructor(
    message: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

/** It does not take the question: the key, the model's name, the address or the length is not what it wants. */
export class AssistantRefused extends Error {}

/** What came back is no answer, or larger than any answer is. */
export class AssistantAnswerUnreadable extends Error {}

/**
 * A language model, somewhere else. What it answers was made of texts that anybody may have written: it is data, and
 * never an order. Errors are one sentence for the log of whoever runs the service; they show neither the key, nor the
 * address, nor anything that was said.
 */
export abstract class Assistant {
  /** Whether there is anybody to ask. */
  abstract readonly configured: boolean;

  /**
   * Asks once, and once more when it is told to come back soon. Nothing is remembered.
   * @throws AssistantNotConfigured, AssistantUnavailable, AssistantRefused, AssistantAnswerUnreadable
   */
  abstract ask(question: AssistantQuestion): Promise<AssistantAnswer>;
}
