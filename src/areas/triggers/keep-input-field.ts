export const keepInputField = {
  type: 'boolean',
  description: 'Whether inputs are stored so that failed runs can be replayed. Set with setTriggerReplay.',
} as const;
