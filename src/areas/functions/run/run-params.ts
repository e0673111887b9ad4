import { Injectable } from '@nestjs/common';
import type { Starter } from '../../../kernel/callers/starter.js';
import { isJsonObject, type JsonObject } from '../../../kernel/json/json.js';
import { pathText } from '../../../kernel/json/json-path.js';
import { CheckGivenUp, SchemaCheck, type SchemaViolation } from '../../../ports/offloaded/schema-check.port.js';
import { type DataDefinition, paramsSchemaOf } from '../data-function/data-definition.api.js';
import type { FunctionDocument } from '../function/function.record.js';
import { refuse } from '../functions.refusals.js';
import type { RunRequest } from './run-request.api.js';

@Injectable()
export class RunParams {
  constructor(private readonly schemas: SchemaCheck) {}

  async check({ name, toolSpec, definition }: FunctionDocument, request: RunRequest): Promise<void> {
    const ofData = definition && paramsSchemaOf(definition as unknown as DataDefinition);
    const schema = ofData ?? toolSpec?.['inputSchema'];
    if (!isJsonObject(schema) || Object.keys(schema).length === 0) return;
    const [first, ...others] = await this.misfits(name, schema, request);
    if (first === undefined) return;
    const named = calledBy(request);
    const errors = [first, ...others].map(({ path, message }) => ({ path: pathText([named, ...path]), message }));
    const sentence = `${pathText([named, ...first.path])} ${first.message}`;
    refuse('params-invalid', { name, first: sentence, others: others.length }, { errors });
  }

  private async misfits(name: string, schema: JsonObject, request: RunRequest): Promise<readonly SchemaViolation[]> {
    try {
      return await this.schemas.check({ workspaceId: request.workspaceId, schema, value: given(request) });
    } catch (error) {
      if (!(error instanceof CheckGivenUp)) throw error;
      return refuse('params-check-given-up', { name }, { at: calledBy(request) });
    }
  }
}

/** Removes `_request` or `_schedule`, which the service adds, so that a schema need not allow them. */
function given({ starter, params }: RunRequest): JsonObject {
  const own = ownAddition(starter);
  if (own === undefined) return params;
  const { [own]: _, ...sent } = params;
  return sent;
}

function ownAddition({ kind }: Starter): string | undefined {
  if (kind === 'webhook') return '_request';
  return kind === 'schedule' ? '_schedule' : undefined;
}

function calledBy({ source, projectId }: RunRequest): string {
  if (projectId !== undefined) return 'params';
  return source === 'manual' || source === 'agent' ? 'event' : 'params';
}
