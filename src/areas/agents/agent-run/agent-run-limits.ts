/** Limits of one agent run. Sizes are in characters. */
export const agentRunLimits = {
  /** Questions to the model, each for one AI credit. */
  turns: 20,
  callsOfAnAnswer: 16,
  callsOfARun: 100,
  /** Arguments of one call, as the model wrote them. */
  callArguments: 64_000,
  /** How deeply the arguments may nest. */
  argumentLevels: 100,
  /** Result of one call, as passed to the model. */
  toolAnswer: 32_000,
  /** Everything sent with one question. */
  conversation: 500_000,
  /** The model's text besides its calls, and its final answer. */
  answer: 20_000,
  input: 100_000,
  /** Counted from the first question. A step in progress at that time is completed. */
  runMs: 15 * 60_000,
  questionMs: 90_000,
} as const;
