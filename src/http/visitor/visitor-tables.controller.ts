import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { listedRows, RowRecord, rowsField } from '../../areas/bases/row/row-shapes.api.js';
import { type TablesName, VisitorTables } from '../../areas/functions/ctx/visitor-tables.api.js';
import { Calls } from '../../engine/operation/calls.js';
import { success } from '../../engine/operation/operation.js';
import type { Shape } from '../../kernel/field/field.js';
import type { JsonObject } from '../../kernel/json/json.js';
import { type RefusalCode } from '../http.refusals.js';
import { NoBody } from './auth-bodies.js';
import * as bodies from './tables-bodies.js';
import { visitorActorOf } from './visitor-actor.js';
import { type ReadRequest, VisitorAnswers } from './visitor-answers.js';
import { VisitorDoor } from './visitor-door.js';
import { type VisitorRoute, Visits } from './visitor-route.js';

const reads: readonly RefusalCode[] = ['table-not-found', 'row-queries-taken', 'row-query-too-long'];
const lists: readonly RefusalCode[] = [...reads, 'unknown-field', 'field-not-readable', 'rows-answer-too-large'];
const writes: readonly RefusalCode[] = [
  ...reads,
  ...['unknown-field', 'row-value-required', 'row-too-large', 'row-not-allowed'],
  ...['field-not-writable', 'row-value-taken', 'too-much-contention', 'visitors-quota', 'rows-answer-too-large'],
] as const;
const changes: readonly RefusalCode[] = [...writes, 'row-not-found'];
const deletes: readonly RefusalCode[] = [
  ...reads,
  ...['row-not-found', 'row-not-allowed', 'too-much-contention', 'visitors-quota'],
] as const;

/** Maximum size of a response in bytes, as for `ctx.tables` in functions. */
const largestAnswer = 5 * 1024 * 1024;

const row = { record: RowRecord } as const;
const hiddenFields = { hiddenFields: listedRows.hiddenFields } as const;

/** Declares the route of a method. The names and arguments of methods are the same as in `ctx.tables`. */
function Member(
  name: TablesName,
  body: Shape,
  route: Pick<VisitorRoute, 'summary' | 'answers' | 'refuses'>,
): MethodDecorator {
  const place = {
    method: 'POST',
    path: `tables/${name}`,
    id: `tables${name[0]?.toUpperCase()}${name.slice(1)}`,
  } as const;
  return Visits(VisitorDoor, { ...route, ...place, tag: 'tables', body });
}

@Controller('api/app/:projectId')
export class VisitorTablesController {
  constructor(
    private readonly door: VisitorDoor,
    private readonly answers: VisitorAnswers,
    private readonly calls: Calls,
    private readonly tables: VisitorTables,
  ) {}

  @Member('getRows', bodies.GetRowsBody, {
    summary: 'Lists rows in pages, oldest first by default.',
    answers: { fields: listedRows },
    refuses: [...lists, 'cursor-of-another-list'],
  })
  getRows(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run('getRows', bodies.GetRowsBody, request, reply);
  }

  @Member('getRow', bodies.OneRowBody, {
    summary: 'Returns a row.',
    answers: row,
    refuses: [...reads, 'row-not-found', 'rows-answer-too-large'],
  })
  getRow(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run('getRow', bodies.OneRowBody, request, reply);
  }

  @Member('searchRows', bodies.SearchRowsBody, {
    summary: 'Lists rows that contain a text in any of their text fields.',
    answers: { fields: listedRows },
    refuses: lists,
  })
  searchRows(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run('searchRows', bodies.SearchRowsBody, request, reply);
  }

  @Member('filterRows', bodies.FilterRowsBody, {
    summary: 'Lists the rows that match a filter.',
    answers: { fields: listedRows },
    refuses: lists,
  })
  filterRows(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run('filterRows', bodies.FilterRowsBody, request, reply);
  }

  @Member('getRowCount', bodies.CountRowsBody, {
    summary: 'Counts the rows that match a filter.',
    answers: { value: { type: 'integer', minimum: 0 } },
    refuses: lists,
  })
  getRowCount(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run('getRowCount', bodies.CountRowsBody, request, reply);
  }

  @Member('readAll', bodies.ReadAllBody, {
    summary: 'Returns all rows that match a filter, up to 10,000.',
    answers: { fields: { rows: rowsField, ...hiddenFields } },
    refuses: [...lists, 'too-many-rows'],
  })
  readAll(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run('readAll', bodies.ReadAllBody, request, reply);
  }

  @Member('report', bodies.ReportBody, {
    summary: 'Groups rows and aggregates each group.',
    answers: { fields: { groups: { type: 'array', items: 'object' } } },
    refuses: lists,
  })
  report(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run('report', bodies.ReportBody, request, reply);
  }

  @Member('listTables', NoBody, {
    summary: 'Lists the tables that the visitor may at least partly read.',
    answers: { list: bodies.ListedTable },
    refuses: [],
  })
  listTables(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run('listTables', NoBody, request, reply);
  }

  @Member('getTableSchema', bodies.OfTable, {
    summary: 'Returns the fields of a table that the visitor may read.',
    answers: { record: bodies.TableSchema },
    refuses: ['table-not-found'],
  })
  getTableSchema(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run('getTableSchema', bodies.OfTable, request, reply);
  }

  @Member('createRow', bodies.CreateRowBody, {
    summary: 'Creates a row.',
    answers: row,
    refuses: [...writes, 'table-full'],
  })
  createRow(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run('createRow', bodies.CreateRowBody, request, reply);
  }

  @Member('updateRow', bodies.UpdateRowBody, {
    summary: 'Updates a row.',
    answers: row,
    refuses: changes,
  })
  updateRow(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run('updateRow', bodies.UpdateRowBody, request, reply);
  }

  @Member('upsertRow', bodies.UpsertRowBody, {
    summary: 'Updates the row with the values of `match`, or creates it.',
    answers: row,
    refuses: [...changes, 'table-full', 'match-empty', 'several-rows', 'field-not-readable'],
  })
  upsertRow(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run('upsertRow', bodies.UpsertRowBody, request, reply);
  }

  @Member('deleteRow', bodies.OneRowBody, {
    summary: 'Deletes a row.',
    answers: success,
    refuses: deletes,
  })
  deleteRow(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run('deleteRow', bodies.OneRowBody, request, reply);
  }

  @Member('bulkUpdateRows', bodies.BulkUpdateBody, {
    summary: 'Updates up to 1,000 rows, all or none.',
    answers: { fields: { rows: rowsField } },
    refuses: [...changes, 'row-named-twice'],
  })
  bulkUpdateRows(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run('bulkUpdateRows', bodies.BulkUpdateBody, request, reply);
  }

  @Member('bulkDeleteRows', bodies.BulkDeleteBody, {
    summary: 'Deletes up to 1,000 rows, all or none.',
    answers: { fields: { deleted: { type: 'integer', minimum: 0 } } },
    refuses: [...deletes, 'row-named-twice'],
  })
  bulkDeleteRows(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run('bulkDeleteRows', bodies.BulkDeleteBody, request, reply);
  }

  private run(name: TablesName, shape: Shape, request: ReadRequest, reply: FastifyReply): Promise<void> {
    const { project, visitor } = this.door.admittedOf(request);
    const input = this.answers.inputOf(request, shape) as JsonObject;
    const actor = visitorActorOf(visitor);
    const operation = `tables/${name}`;
    // A member's changes count towards the workspace's quota, not towards the quota for visitors.
    const isMember = visitor.visitor.member !== undefined;
    const call = isMember
      ? this.calls.once(project.workspaceId, actor, operation)
      : this.calls.visiting(project, actor, operation);
    const work = () => this.tables.run(call, project, visitor.visitor, name, input);
    return this.answers.sendUpTo(largestAnswer, reply, project.workspaceId, work);
  }
}
