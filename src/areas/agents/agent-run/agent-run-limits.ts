/** What one run of an agent may take; sizes in characters of text. */
export const agentRunLimits = {
  /** Questions to the model, each for one AI credit. */
  turns: 20,
  callsOfAnAnswer: 16,
  callsOfARun: 100,
  /** What the model writes as the arguments of one call. */
  callArguments: 64_000,
  /** How deep they nest. */
  argumentLevels: 100,
  /** What one call gives back to the model. */
  toolAnswer: 32_000,
  /** All that is sent with one question. */
  conversation: 500_000,
  /** What the model writes beside its calls, and at the end. */
  answer: 20_000,
  /** What the run is started with. */
  input: 100_000,
  /** From the first question on; what is being done then is done to its end. */
  runMs: 15 * 60_000,
  questionMs: 90_000,
} as const;
