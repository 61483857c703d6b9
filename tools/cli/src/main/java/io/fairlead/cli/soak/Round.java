package io.fairlead.cli.soak;

import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * One round: everything that is random in it follows from its seed.
 *
 * @param runSeed the seed of the run
 * @param number its place in the run, from 0
 * @param seed its own seed
 * @param scenario what happens in it
 * @param incident what goes wrong in it
 */
record Round(long runSeed, int number, long seed, Scenario scenario, Incident incident) {
    /** What goes wrong in a round. */
    enum Incident {
        /** Nothing: all must arrive. */
        NONE,
        /** The member's process stands still for up to 1.5 seconds. All must arrive. */
        STALL,
        /** This side closes at a random operation. */
        CLOSE,
        /** This side aborts at a random operation. */
        ABORT,
        /** The member takes away what is used: memory, a service, a topic. */
        WITHDRAW,
        /** The member is killed by signal 9. */
        KILL;

        /** Whether everything that was posted must succeed and arrive. */
        boolean isHarmless() {
            return this == NONE || this == STALL;
        }
    }

    private static final List<Scenario> SCENARIOS = List.of(
            new MessageScenario(),
            new MemoryScenario(),
            new RequestScenario(),
            new TopicScenario(),
            new ConnectScenario());

    /** Derives a round from the run's seed. */
    static Round of(long runSeed, int number) {
        long seed = Numbered.mix(runSeed, number);
        SplittableRandom random = new SplittableRandom(seed);
        Scenario scenario = SCENARIOS.get(random.nextInt(SCENARIOS.size()));
        List<Incident> incidents = scenario.incidents();
        return new Round(runSeed, number, seed, scenario, incidents.get(random.nextInt(incidents.size())));
    }

    /** Random numbers for one purpose; each call returns a generator that begins anew. */
    SplittableRandom random(String purpose) {
        return new SplittableRandom(Numbered.mix(seed, purpose.hashCode()));
    }

    @Override
    public String toString() {
        return "round " + number + ": " + scenario.label() + ", "
                + incident.name().toLowerCase(Locale.ROOT);
    }
}
