/**
 * Makes the drawings of {@code docs/drawings} from poms, compiled classes and {@link io.fairlead.build.drawing.MessageWay}. It uses the JDK
 * alone, so that {@code java Draw.java} runs it without a build.
 */
package io.fairlead.build.drawing;
