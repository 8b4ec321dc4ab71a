// The client of the workflow platform, as its page reads the flat dialect: data is merged field by field.
interface Surface {
  readonly components: Map<string, unknown>;
  readonly data: Record<string, unknown>;
  isReady: boolean;
}

export class EchoClient {
  readonly surfaces = new Map<string, Surface>();

  take(line: string): void {
    const message = JSON.parse(line) as {
      type?: string;
      surfaceId?: string;
      components?: { id: string }[];
      data?: Record<string, unknown>;
    };
    const { type, surfaceId: id } = message;
    if (type === undefined || id === undefined) return;
    if (type === 'deleteSurface') return void this.surfaces.delete(id);
    const surface = this.surfaces.get(id) ?? { components: new Map(), data: {}, isReady: false };
    this.surfaces.set(id, surface);
    for (const component of message.components ?? []) surface.components.set(component.id, component);
    Object.assign(surface.data, message.data ?? {});
    if (type === 'beginRendering') surface.isReady = true;
  }

  /** What the page shows. */
  state(id: string): unknown {
    const surface = this.surfaces.get(id);
    if (!surface?.isReady) return undefined;
    const { title, steps, final_output, approvals = [] } = surface.data;
    return { title, steps, final_output, approvals, components: [...surface.components.keys()] };
  }

  /** All it has, also what it does not show. */
  holds(): string {
    const held = [...this.surfaces].map(([id, { components, data, isReady }]) => ({
      id,
      components: [...components.keys()],
      data,
      isReady,
    }));
    return JSON.stringify(held);
  }
}
