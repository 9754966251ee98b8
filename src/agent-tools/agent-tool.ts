/** One tool of an agent, whatever it does. */
import type { z } from 'zod';
import type { CallContext } from './session.ts';
import type { ToolResult } from './tool-result.ts';

/** One tool. */
export interface AgentTool<Input> {
  readonly title: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  readonly inputSchema: z.ZodType<Input>;
  /** False for a tool that may change something. */
  readonly isReadOnly: boolean;
  /** Runs a call with a checked input; it never rejects. */
  run(input: Input, context: CallContext): Promise<ToolResult>;
}
