// What the commands of the tree view are given: the node that was clicked, and all that are selected. Any caller may give anything.
import { z } from 'zod';
import { argumentOf } from '../commandArgument';

const path = z.string().min(1).max(4096);
const Model = z.object({ folder: path });
const File = z.object({ file: z.object({ path }) });
const Server = z.object({ url: z.string().min(1).max(2048) });
const Place = z.union([File, Model]);

export const modelOf = (node: unknown): string => argumentOf(Model, node).folder;
export const serverOf = (node: unknown): string => argumentOf(Server, node).url;

/** Files of the selection where the clicked node is a part of it, else the clicked one alone: as everywhere in VS Code. */
export function filesOf(node: unknown, selected: unknown): string[] {
  return nodesOf(node, selected).map((one) => argumentOf(File, one).file.path);
}

/** Files, and folders of models. */
export function placesOf(node: unknown, selected: unknown): string[] {
  return nodesOf(node, selected).map((one) => {
    const place = argumentOf(Place, one);
    return 'file' in place ? place.file.path : place.folder;
  });
}

function nodesOf(node: unknown, selected: unknown): readonly unknown[] {
  return Array.isArray(selected) && selected.length > 0 ? (selected as readonly unknown[]) : [node];
}
