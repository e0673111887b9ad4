/** The limits of one agent run. Sizes are in characters. */
export const agentRunLimits = {
  /** Questions to the model, each for one AI credit. */
  turns: 20,
  callsOfAnAnswer: 16,
  callsOfARun: 100,
  /** The arguments that the model writes for one call. */
  callArguments: 64_000,
  /** How deeply they may nest. */
  argumentLevels: 100,
  /** The answer of one call, as passed to the model. */
  toolAnswer: 32_000,
  /** Everything sent with one question. */
  conversation: 500_000,
  /** The model's text beside its calls, and its final answer. */
  answer: 20_000,
  /** The input of the run. */
  input: 100_000,
  /** Counted from the first question. A step that is under way at that time is finished. */
  runMs: 15 * 60_000,
  questionMs: 90_000,
} as const;
