/** Makes the javadoc of all modules as one set of pages. It uses the JDK alone, so that {@code java Javadoc.java} runs it without a build. */
package io.fairlead.build.javadoc;
