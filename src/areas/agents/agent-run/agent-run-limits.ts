/** Sizes are in characters. */
export const agentRunLimits = {
  /** Questions to the model. Each costs one AI credit. */
  turns: 20,
  callsOfAnAnswer: 16,
  callsOfARun: 100,
  callArguments: 64_000,
  argumentLevels: 100,
  toolAnswer: 32_000,
  conversation: 500_000,
  answer: 20_000,
  input: 100_000,
  /**
   * Measured from the first question. A question in progress is aborted at the end of this time, but a tool call is
   * completed.
   */
  runMs: 15 * 60_000,
  questionMs: 90_000,
} as const;
