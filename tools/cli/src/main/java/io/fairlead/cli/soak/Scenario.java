package io.fairlead.cli.soak;

import io.fairlead.FairleadConfig;
import io.fairlead.cli.soak.Round.Incident;
import java.util.List;

/**
 * A kind of round: traffic between the process of the command and a member, with a model of what must have happened. Stateless; each half makes
 * what it needs and has closed it when it returns.
 */
interface Scenario {
    /** What a user calls it, in one word. */
    String label();

    /** The incidents that it knows, each as likely as its part of the list. */
    default List<Incident> incidents() {
        return List.of(
                Incident.NONE,
                Incident.NONE,
                Incident.STALL,
                Incident.CLOSE,
                Incident.ABORT,
                Incident.WITHDRAW,
                Incident.KILL);
    }

    /**
     * The member's half. Runs on a thread of its own until it is over or the parent has said so.
     *
     * @param round the round
     * @param config its configuration
     * @param parent the parent
     * @param tally what it counts
     * @throws Exception if it cannot go on, which is a fault
     */
    void serve(Round round, FairleadConfig config, ParentLink parent, Tally tally) throws Exception;

    /**
     * The half of the command.
     *
     * @param round the round
     * @param config its configuration
     * @param member the other process, which serves
     * @param tally what it counts
     * @throws Exception if it cannot go on, which is a fault
     */
    void run(Round round, FairleadConfig config, SoakMember member, Tally tally) throws Exception;
}
