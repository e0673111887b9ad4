import { Controller, Get } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { mcpPath } from '../mcp/mcp-door.js';
import { scopesSupported } from './oauth-scopes.js';

/** Returns both paths at which clients look for metadata: with and without the path of the MCP endpoint at the end. */
const both = (path: string) => [path, `${path}/${mcpPath}`];

/** Serves the metadata of RFC 9728 and RFC 8414. */
@Controller('.well-known')
export class OAuthMetadataController {
  constructor(private readonly environment: Environment) {}

  @Get(both('oauth-protected-resource'))
  resource(): object {
    const { baseUrl } = this.environment;
    return {
      resource: `${baseUrl}/${mcpPath}`,
      resource_name: 'Countersign',
      authorization_servers: [baseUrl],
      scopes_supported: scopesSupported(),
      bearer_methods_supported: ['header'],
    };
  }

  @Get([...both('oauth-authorization-server'), ...both('openid-configuration')])
  server(): object {
    const { baseUrl } = this.environment;
    return {
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/oauth/authorize`,
      token_endpoint: `${baseUrl}/oauth/token`,
      registration_endpoint: `${baseUrl}/oauth/register`,
      revocation_endpoint: `${baseUrl}/oauth/revoke`,
      scopes_supported: scopesSupported(),
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    };
  }
}
