// Page object of the report view: what it shows, and where its cells are.
import type { Frame } from 'playwright-core';
import { expect } from 'vitest';
import type { BisectRun } from '../../src/shared/report';

export interface CellPlace {
  readonly row: number;
  readonly position: number;
}

export class ReportPage {
  constructor(
    readonly frame: Frame,
    readonly run: BisectRun,
  ) {}

  /** The selected cell in words, as a screen reader hears it. */
  async selected(): Promise<string> {
    return this.frame.locator('#map-current').innerText();
  }

  async expectSelected({ row, position }: CellPlace): Promise<void> {
    const place = `${this.run.rows[row]?.label ?? ''}, position ${position}:`;
    await expect.poll(() => this.selected(), { timeout: 10_000 }).toContain(place);
  }

  async clickCell(cell: CellPlace): Promise<void> {
    const { x, y } = await this.centre(cell);
    await this.frame.locator('.map-cells').click({ position: { x, y }, force: true });
  }

  /** RGB of the middle of every cell, row-major, as painted on the canvas. */
  async colours(): Promise<string[]> {
    const { rows, cells } = this.run;
    return this.frame.locator('.map-cells').evaluate(
      (node, { rowCount, positions }) => {
        const canvas = node as HTMLCanvasElement;
        const context = canvas.getContext('2d');
        if (context === null) throw new Error('the canvas has no context');
        const colourAt = (row: number, position: number): string => {
          const x = Math.floor(((position + 0.5) * canvas.width) / positions);
          const y = Math.floor(((row + 0.5) * canvas.height) / rowCount);
          return [...context.getImageData(x, y, 1, 1).data.slice(0, 3)].join(' ');
        };
        return Array.from({ length: rowCount * positions }, (_, i) => colourAt(Math.floor(i / positions), i % positions));
      },
      { rowCount: rows.length, positions: cells.positions },
    );
  }

  /** Names of the taps of the selected cell with whether each is shown as differing. */
  async taps(): Promise<{ name: string; differs: boolean }[]> {
    return this.frame.locator('.cell-panel .lane-row').evaluateAll((rows) => rows.map((row) => ({ name: row.querySelector('.tap')?.textContent ?? '', differs: row.classList.contains('differs') })));
  }

  async chooseTap(index: number): Promise<void> {
    await this.frame.locator(`.cell-panel button[data-tap="${index}"]`).click();
  }

  async elementsHeading(): Promise<string> {
    return this.frame.locator('.tile-panel .panel-header h2').innerText();
  }

  /** Presses the button that has the engine compute the chosen tap; what is said of what came. */
  async loadElements(): Promise<string> {
    await this.frame.getByRole('button', { name: 'Load all elements' }).click();
    const said = this.frame.locator('.source-words', { hasText: /computed again|not|cannot/ });
    await said.waitFor({ timeout: 60_000 });
    return said.innerText();
  }

  /** Text of the row of elements that is marked as the first difference. */
  async firstElement(): Promise<string> {
    return this.frame.locator('.tile-panel tr.first').innerText();
  }

  private async centre({ row, position }: CellPlace): Promise<{ x: number; y: number }> {
    const box = await this.frame.locator('.map-cells').boundingBox();
    if (box === null) throw new Error('the heat map is not on screen');
    return { x: ((position + 0.5) * box.width) / this.run.cells.positions, y: ((row + 0.5) * box.height) / this.run.rows.length };
  }
}
