import type { Page } from 'playwright-core';

/** Of the graphs on a page: how many there are, what is in them, and which edge runs through which name. */
export interface DrawnGraphs {
  readonly graphs: number;
  readonly names: number;
  readonly edges: number;
  readonly crossed: readonly string[];
}

/** Reads the pictures themselves: points along each path, and the boxes of the texts as the browser has set them. */
export function drawnGraphs(page: Page): Promise<DrawnGraphs> {
  return page.evaluate(`(() => {
    const pictures = [...document.querySelectorAll('.graph svg')];
    const found = { graphs: pictures.length, names: 0, edges: 0, crossed: [] };
    for (const picture of pictures) {
      const names = [...picture.querySelectorAll('text')].filter((text) => text.textContent !== '');
      const boxes = names.map((text) => ({ name: text.textContent, ...pick(text.getBBox()) }));
      const paths = [...picture.querySelectorAll('.graph-edge')];
      found.names += names.length;
      found.edges += paths.length;
      for (const path of paths) {
        const length = path.getTotalLength();
        for (let at = 0; at <= length; at += 4) {
          const { x, y } = path.getPointAtLength(at);
          for (const box of boxes)
            if (x > box.x && x < box.x + box.width && y > box.y + 1 && y < box.y + box.height - 1)
              found.crossed.push(path.textContent + ' crosses ' + box.name);
        }
      }
    }
    return { ...found, crossed: [...new Set(found.crossed)] };
    function pick({ x, y, width, height }) {
      return { x, y, width, height };
    }
  })()`);
}
