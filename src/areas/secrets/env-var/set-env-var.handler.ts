import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { isGuessable } from '../../../secret-text/guessable.js';
import { checkEnvVar, setEnvVar } from './env-var.js';
import { envVarRecord, type KeptEnvVar, SetEnvVar } from './env-var.operations.js';
import { type EnvVarEvent, envVars } from './env-var.record.js';
import { EnvVarValues } from './env-var-values.api.js';

const guessableWarning =
  'This value could be found by trying: whoever edits a function or a flow that may use it can learn it over many runs. ' +
  'One of 20 random characters or more could not.';

@CommandHandler(SetEnvVar)
export class SetEnvVarHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly values: EnvVarValues,
  ) {}

  async execute(command: SetEnvVar): Promise<KeptEnvVar> {
    const call = callOf(command);
    const { value, ...given } = checkEnvVar(command);
    const input = { ...given, guessable: isGuessable(value) };
    return this.values.sealing(call, value, async (valueId) => {
      let events: readonly EnvVarEvent[] = [];
      const envVar = await this.runner.change(call, {
        aggregate: envVars,
        id: input.name,
        begins: 'perhaps',
        decide: (before) => {
          events = setEnvVar(before, input, valueId);
          return events;
        },
      });
      if (envVar === undefined) return envVars.missing();
      return { answer: { ...envVarRecord(envVar), ...(input.guessable ? { warning: guessableWarning } : {}) }, events };
    });
  }
}
