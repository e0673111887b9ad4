/** Limits of one agent run. Sizes are in characters. */
export const agentRunLimits = {
  /** Maximum number of questions to the model. Each costs one AI credit. */
  turns: 20,
  callsOfAnAnswer: 16,
  callsOfARun: 100,
  /** Arguments of one tool call, as text. */
  callArguments: 64_000,
  /** Maximum nesting depth of the arguments. */
  argumentLevels: 100,
  /** Result of one tool call, as passed to the model. */
  toolAnswer: 32_000,
  /** All messages that are sent with one question. */
  conversation: 500_000,
  /** Text of one answer of the model, without its tool calls. */
  answer: 20_000,
  input: 100_000,
  /**
   * Measured from the first question. A question in progress is aborted at the end of this time, but a tool call is
   * completed.
   */
  runMs: 15 * 60_000,
  questionMs: 90_000,
} as const;
