package io.fairlead.samples.training;

import java.util.stream.IntStream;

/**
 * How good a network is on rows that it was not trained on.
 *
 * @param loss the mean cross entropy, in nats
 * @param baseLoss that of somebody who knows only how many strikes did damage among the rows that were trained on
 * @param auc the area under the receiver operating characteristic: how often, of a strike with damage and one without, the former is found
 *     likelier to have done it; 0.5 by guessing, 1 at best
 */
public record Score(double loss, double baseLoss, double auc) {
    /**
     * Tests weights.
     *
     * @param table the rows
     * @param weights of the network
     * @return how good they are on the rows that were held out
     */
    public static Score of(StrikeTable table, float[] weights) {
        Network network = new Network(table.featureCount(), weights);
        int[] heldOut = IntStream.range(table.trained(), table.size()).toArray();
        double[] logits = IntStream.of(heldOut)
                .mapToDouble(row -> network.logit(table.features(row)))
                .toArray();
        double base = baseLogit(table);
        double loss = 0;
        double baseLoss = 0;
        for (int i = 0; i < heldOut.length; i++) {
            loss += Network.loss(logits[i], table.damaged(heldOut[i]));
            baseLoss += Network.loss(base, table.damaged(heldOut[i]));
        }
        return new Score(loss / heldOut.length, baseLoss / heldOut.length, auc(table, heldOut, logits));
    }

    private static double baseLogit(StrikeTable table) {
        double damaged =
                IntStream.range(0, table.trained()).filter(table::damaged).count();
        return StrictMath.log(damaged / (table.trained() - damaged));
    }

    /** Looks at all pairs; equal predictions count half. */
    private static double auc(StrikeTable table, int[] rows, double[] logits) {
        double right = 0;
        long pairs = 0;
        for (int i = 0; i < rows.length; i++) {
            for (int j = 0; table.damaged(rows[i]) && j < rows.length; j++) {
                if (!table.damaged(rows[j])) {
                    right += 0.5 + 0.5 * Integer.signum(Double.compare(logits[i], logits[j]));
                    pairs++;
                }
            }
        }
        return right / pairs;
    }
}
