"""A humanoid stands on a floor for two seconds. The README quotes this file."""
import sys

# quote: begin
import sinew

spec = sinew.load("models/humanoid.xml")
scene = sinew.make_scene(spec, floor=sinew.FloorOptions(), hold=sinew.HoldOptions(), on_floor=True)
sim = sinew.Simulation(scene)
sim.run(until=2)
print(f"{len(sim.contacts)} contacts, deepest overlap {sim.totals.deepest:.0e} m, {sim.totals.unsolved} problems unsolved")
for contact in sim.contacts[:2]:
    print(contact)
# quote: end
sys.exit(int(sim.totals.unsolved > 0 or abs(sim.v).max() > 0.1))
