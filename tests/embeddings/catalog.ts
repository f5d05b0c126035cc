// A small catalog from which the words of a tenant can be learned.

type Entry = readonly [name: string, description: string];

export const sofas: Entry[] = [
  ["Oslo sofa", "Three seats with soft cushions for the living room. Grey upholstery, oak legs."],
  ["Bergen sofa", "Two seats, deep cushions, velvet upholstery. For a small living room."],
  ["Corner sofa Turin", "Seats five. Cushions with feathers and linen upholstery. Living room."],
  ["Leather sofa Milano", "Brown leather upholstery, wide seats and armrests, cushions included."],
  ["Sofa bed Lund", "A bed by night. Washable upholstery, cushions. For the living room."],
  ["Chesterfield sofa", "Buttoned leather upholstery, rolled armrests, deep seats. Living room."],
];

export const couches: Entry[] = [
  ["Modular couch", "Seats and armrests as you like. Cushions in velvet upholstery. Living room."],
  ["Couch Nora", "Grey linen upholstery, deep seats, loose cushions, oak legs. Living room."],
  ["Garden couch", "Weatherproof cushions and upholstery. Seats three on the terrace."],
];

export const grass: Entry[] = [
  ["Couch grass seed", "Hardy grass for dry lawns. Sow in spring and water daily."],
  ["Lawn seed", "Grass for shade. Sow in spring, water daily."],
  ["Couch grass killer", "Removes weeds and couch grass from the lawn."],
  ["Lawn fertiliser", "Feeds grass in spring. Spread over the lawn and water."],
];

export const kitchen: Entry[] = [
  ["Chef's knife", "Forged steel blade of 20 cm with a walnut handle. For vegetables and meat."],
  ["Bread knife", "Serrated steel blade for crusts. Handle of beech."],
  ["Paring knife", "A short blade of steel for peeling vegetables."],
  ["Cutting board", "Walnut board for vegetables, meat and bread. Oil it now and then."],
  ["Frying pan", "Cast iron for steaks. Works on gas and induction stoves."],
  ["Saucepan", "Steel with a lid, 2 litres. Works on induction and gas stoves."],
  ["Espresso machine", "15 bar pump, steam wand for milk. Ground coffee or pods."],
  ["Coffee grinder", "Burrs of steel grind beans for espresso and filter coffee."],
  ["Tea pot", "Porcelain, holds one litre, with a strainer for loose tea."],
  ["Trail running shoes", "Grip for mud and rock. Breathable mesh, springy sole."],
  ["Road running shoes", "Light mesh and a springy sole for asphalt."],
  ["Hiking boots", "Waterproof boots with a sole that grips rock."],
  ["Rain jacket", "Waterproof and breathable, with a hood. For hiking in rain."],
  ["Desk lamp", "Adjustable arm, warm light, LED bulb. For reading at the desk."],
  ["Floor lamp", "Warm light beside an armchair, dimmable LED bulb."],
  ["Wireless headphones", "Noise cancelling, 30 hours of battery, bluetooth."],
  ["Bluetooth speaker", "Waterproof speaker with a battery for 12 hours."],
];

export function catalog(entries: readonly Entry[]) {
  return entries.map(([name, description]) => ({ name, description }));
}
