import { CommandHandler } from '@nestjs/cqrs';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { callOf } from '../../../engine/operation/call.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Document } from '../../../kernel/record/projection.js';
import { accountFunctions } from '../../functions/function/function.record.js';
import { deleteEnvVar } from './env-var.js';
import { DeleteEnvVar } from './env-var.operations.js';
import { envVars } from './env-var.record.js';
import { hasFullDataAccess, readersOf, type SecretReader } from './secret-readers.api.js';

/** Looks for functions with Full data access that read the secret. The value is destroyed after the event. */
@CommandHandler(DeleteEnvVar)
export class DeleteEnvVarHandler {
  constructor(
    private readonly reads: Reads,
    private readonly secrets: RecordedSecrets,
    private readonly texts: RecordTexts,
  ) {}

  async execute(input: DeleteEnvVar): Promise<{ success: true }> {
    const call = callOf(input);
    const functions = await this.reads.find<Document & SecretReader>(call.workspaceId, 'functions');
    const readers: SecretReader[] = [];
    // One after the other: there may be many, each with the code of two versions.
    for (const fn of functions.filter(hasFullDataAccess)) {
      readers.push(...readersOf(input.name, [await this.texts.whole(accountFunctions, call.workspaceId, fn)]));
    }
    await this.secrets.change(call, {
      aggregate: envVars,
      id: input.name,
      decide: (envVar) => (envVar ? deleteEnvVar(envVar, readers) : []),
    });
    return { success: true };
  }
}
