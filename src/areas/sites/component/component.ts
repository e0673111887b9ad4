import type { Component, ComponentEvent } from './component.record.js';

export function deleteComponent({ projectId }: Component, message?: string): readonly ComponentEvent[] {
  return [{ type: 'ComponentDeleted', data: { projectId, message: message ?? null } }];
}
