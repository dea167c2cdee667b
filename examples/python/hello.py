"""A humanoid stands on a floor for two seconds. The README quotes this file."""
import sys

# quote: begin
import sinew

spec = sinew.load("models/humanoid.xml")
scene = sinew.make_scene(spec, floor=sinew.FloorOptions(), hold=sinew.HoldOptions(), on_floor=True)
sim = sinew.Simulation(scene)
sim.run(until=2)
totals = sim.totals
print(f"{len(sim.contacts)} contacts, deepest overlap {totals.deepest:.0e} m, {totals.unsolved} problems unsolved")
for contact in sim.contacts[:2]:
    print(contact)
# quote: end
sys.exit(int(totals.unsolved > 0 or abs(sim.v).max() > 1e-10))
