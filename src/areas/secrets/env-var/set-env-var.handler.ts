import { CommandHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { isGuessable } from '../../../secret-text/guessable.js';
import { checkEnvVar, setEnvVar } from './env-var.js';
import { envVarRecord, type KeptEnvVar, SetEnvVar } from './env-var.operations.js';
import { envVars } from './env-var.record.js';

const guessableWarning =
  'This value could be found by trying: whoever edits a function or a flow that may use it can learn it over many runs. ' +
  'One of 20 random characters or more could not.';

@CommandHandler(SetEnvVar)
export class SetEnvVarHandler {
  constructor(private readonly secrets: RecordedSecrets) {}

  async execute(command: SetEnvVar): Promise<KeptEnvVar> {
    const call = callOf(command);
    const { value, ...given } = checkEnvVar(command);
    const input = { ...given, guessable: isGuessable(value) };
    const valueId = call.newId('val');
    const envVar = await this.secrets.drafting(envVars, call, { id: valueId, value }, async () => {
      const { state } = await this.secrets.change(call, {
        aggregate: envVars,
        id: input.name,
        begins: 'perhaps',
        decide: (before) => setEnvVar(before, input, valueId),
      });
      return state ?? envVars.missing();
    });
    return { ...envVarRecord(envVar), ...(input.guessable ? { warning: guessableWarning } : {}) };
  }
}
