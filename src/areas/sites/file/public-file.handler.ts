import { asks, does } from '../../../engine/records/rule.js';
import { FileLinks } from './file-links.api.js';
import { CreateFileUpload, DeletePublicFile, ListPublicFiles } from './public-file.operations.js';
import { PublicFiles } from './public-files.api.js';

export const publicFileHandlers = [
  does(CreateFileUpload, FileLinks, async (links, { projectId, path, contentType, size }, call) => {
    const link = await links.upload(call, { projectId, name: path, contentType, size, isPublic: true });
    return { fileId: link.id, url: link.url, expiresAt: link.expiresAt };
  }),
  asks(ListPublicFiles, PublicFiles, async (files, { projectId, prefix = '', cursor }, { workspaceId }) => {
    const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString();
    const page = await files.list(workspaceId, { projectId, prefix, after });
    return {
      files: page.files.map(({ id, name, contentType, size, updatedAt }) => ({
        fileId: id,
        path: name,
        contentType,
        size,
        storedAt: updatedAt,
      })),
      nextCursor: page.next === null ? null : Buffer.from(page.next).toString('base64url'),
    };
  }),
  does(DeletePublicFile, PublicFiles, async (files, { projectId, path }, call) => {
    await files.delete(call, projectId, path);
    return { success: true };
  }),
];
